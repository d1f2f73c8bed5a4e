import { measureDistance, toTerms, toTrigrams } from '#lib/terms.ts';
import type { Rankable, RankKey } from './rank.ts';

/** Words of the vocabulary that match one word of a query, each with its similarity from 0 to 100. */
type SimilarWords = { word: string; similarity: number }[];

/** Rates a word against a query word: 100 if they are equal, then a longer word with this prefix, then one or two typos, then shared
 *  trigrams. 0 means that they have nothing in common. */
export function measureSimilarity(word: string, other: string): number {
  if (word === other) return 100;
  if (word.length > 2 && other.startsWith(word)) return 90;
  const edits = word.length > 2 ? measureDistance(word, other, 2) : 3;
  if (edits <= (word.length < 6 ? 1 : 2)) return 90 - 10 * edits;
  const [own, theirs] = [toTrigrams(word), toTrigrams(other)];
  const shared = theirs.filter((gram) => own.includes(gram)).length;
  const share = Math.round((200 * shared) / (own.length + theirs.length));
  return share >= minSimilarity ? Math.min(share, 65) : 0;
}

const minSimilarity = 40;
const maxSimilarWords = 20;

/** Returns the word itself and the most similar words of the vocabulary, best first. */
export function findSimilarWords(word: string, vocabulary: string[]): SimilarWords {
  const others = vocabulary
    .filter((candidate) => candidate !== word)
    .map((candidate) => ({ word: candidate, similarity: measureSimilarity(word, candidate) }))
    .filter((candidate) => candidate.similarity >= minSimilarity)
    .sort((a, b) => b.similarity - a.similarity || (a.word < b.word ? -1 : 1));
  return [{ word, similarity: 100 }, ...others.slice(0, maxSimilarWords)];
}

/** Ranks candidates by the sum of their best match for each query word; a match in the title counts a quarter more. Ties are broken
 *  by the rank key, then the newest comes first. */
export function rankBySimilarity<T extends Rankable & { text: string }>(
  query: SimilarWords[],
  candidates: T[],
  toRankKey: (item: T) => RankKey,
): T[] {
  const choices = query.map((words) => new Map(words.map(({ word, similarity }) => [word, similarity])));
  const findBest = (choice: Map<string, number>, words: string[]): number =>
    words.reduce((max, word) => Math.max(max, choice.get(word) ?? 0), 0);
  return candidates
    .map((item) => {
      const title = [...toTerms(item.title), ...item.labels.flatMap(toTerms)];
      const text = toTerms(item.text);
      const points = choices.reduce((sum, choice) => sum + Math.max(Math.round(findBest(choice, title) * 1.25), findBest(choice, text)), 0);
      // `text` is only the beginning of a long text, so the store may have matched a word further down.
      return { item, points: Math.max(points, minSimilarity), ...toRankKey(item) };
    })
    .sort((a, b) => b.points - a.points || a.outdated - b.outdated || a.early - b.early || a.late - b.late || b.seq - a.seq)
    .map(({ item }) => item);
}
