/** The words of a text as search sees them: letters and digits, folded to lower case without accents.
 *  Scripts that put no spaces between words are split into characters. Both databases are handed these
 *  terms, so that they agree on what a word is. */
export function terms(text: string): string[] {
  // Most text is ASCII, which needs no tables of Unicode: loading them is a part of a cold start.
  const found = /[^\x00-\x7f]/.test(text) ? foldedWords(text) : (text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
  return found.map((word) => (word.length > longestTerm ? [...word].slice(0, longestTerm).join('') : word));
}

/** PostgreSQL refuses words that are much longer; nobody searches for them. */
export const longestTerm = 64;

function foldedWords(text: string): string[] {
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

/** Overlapping triples of a word with its edges marked, as the vocabulary is compared by. */
export function trigrams(word: string): string[] {
  const marked = [...edged(word)];
  return Array.from({ length: marked.length - 2 }, (_, i) => marked.slice(i, i + 3).join(''));
}

export const edged = (word: string): string => `__${word}__`;

/** Edits (insert, delete, replace, swap neighbours) between two words, or `limit + 1` as soon as it is more. */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  // What both begin and end with costs nothing; of two strangers little is compared before it is too much.
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  // One edit leaves two letters at most: neighbours that are swapped.
  if (limit === 1 && Math.max(endA, endB) - start > 2) return 2;
  let before: number[] = [];
  let row: number[] = [];
  for (let j = 0; j <= endB - start; j++) row.push(j);
  for (let i = 1; i <= endA - start; i++) {
    const letter = a[start + i - 1];
    const next = [i];
    let least = i;
    for (let j = 1; j <= endB - start; j++) {
      const other = b[start + j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (letter === other ? 0 : 1));
      if (i > 1 && j > 1 && letter === b[start + j - 2] && a[start + i - 2] === other) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    before = row;
    row = next;
  }
  return Math.min(row.at(-1)!, limit + 1);
}
