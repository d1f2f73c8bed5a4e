/** Splits a text into search terms: letters and digits in lower case, without accents. Scripts without spaces between words are split
 *  into characters. Both databases index these terms, so that they agree on what a word is. */
export function toTerms(text: string): string[] {
  // Most text is ASCII. Loading the Unicode tables for it would slow down a cold start.
  const found = /[^\x00-\x7f]/.test(text) ? foldWords(text) : (text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
  return found.some(isLong) ? found.map((word) => (isLong(word) ? [...word].slice(0, maxTermLength).join('') : word)) : found;
}

/** Joins the terms of each text with spaces. An import indexes millions of words, so that those of plain texts are not split first, and
 *  plain texts are read together. */
export function joinTerms(texts: string[]): string[] {
  const whole = texts.join('\0');
  if (/[^\x00-\x7f]/.test(whole)) return texts.length === 1 ? [toTerms(whole).join(' ')] : texts.flatMap((text) => joinTerms([text]));
  // Most words have one space between them, which need not be replaced.
  const joined = whole.toLowerCase().replace(/ [^a-z0-9\0]+|[^a-z0-9 \0][^a-z0-9\0]*/g, ' ');
  const lines = joined.split('\0');
  // A text may contain NUL itself.
  const isSplit = lines.length === texts.length && !longTerm.test(joined);
  return isSplit ? lines.map((line) => line.trim()) : texts.map((text) => toTerms(text).join(' '));
}

/** PostgreSQL rejects much longer words. */
export const maxTermLength = 64;

const longTerm = /[a-z0-9]{65}/;
const isLong = (word: string): boolean => word.length > maxTermLength;

function foldWords(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ');
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap(
    (word) =>
      word.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/gu) ?? [],
  );
}

/** Returns the overlapping trigrams of a word with marked edges, by which the vocabulary is searched. */
export function toTrigrams(word: string): string[] {
  const marked = [...markEdges(word)];
  return Array.from({ length: marked.length - 2 }, (_, i) => marked.slice(i, i + 3).join(''));
}

export const markEdges = (word: string): string => `__${word}__`;

/** Counts the edits (insert, delete, replace, swap neighbours) between two words, or returns `limit + 1` as soon as there are more. */
export function measureDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  // A common prefix and suffix cost nothing.
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  // One edit leaves at most two letters: swapped neighbours.
  if (limit === 1 && Math.max(endA, endB) - start > 2) return 2;
  let before: number[] = [];
  let row: number[] = [];
  for (let j = 0; j <= endB - start; j++) row.push(j);
  for (let i = 1; i <= endA - start; i++) {
    const letter = a[start + i - 1];
    const next = [i];
    let minCost = i;
    for (let j = 1; j <= endB - start; j++) {
      const other = b[start + j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (letter === other ? 0 : 1));
      if (i > 1 && j > 1 && letter === b[start + j - 2] && a[start + i - 2] === other) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
      if (cost < minCost) minCost = cost;
    }
    if (minCost > limit) return limit + 1;
    before = row;
    row = next;
  }
  return Math.min(row.at(-1)!, limit + 1);
}
