import { distance, terms, trigrams } from '#lib/terms.ts';
import type { Rankable, Standing } from './rank.ts';

/** Words that may stand for one word of a query, each with how near it is, in hundredths. */
export type Near = { word: string; nearness: number }[];

/** 100 is the word itself, less a longer one that begins with it, less one that is an edit or two away, less one that shares
 *  trigrams; 0 is a stranger. */
export function nearness(word: string, other: string): number {
  if (word === other) return 100;
  if (word.length > 2 && other.startsWith(word)) return 90;
  const edits = word.length > 2 ? distance(word, other, 2) : 3;
  if (edits <= (word.length < 6 ? 1 : 2)) return 90 - 10 * edits;
  const [own, theirs] = [trigrams(word), trigrams(other)];
  const shared = theirs.filter((gram) => own.includes(gram)).length;
  const share = Math.round((200 * shared) / (own.length + theirs.length));
  return share >= least ? Math.min(share, 65) : 0;
}

const least = 40;

/** The word itself, and what of the vocabulary is near to it, the nearest first. */
export function wordsNear(word: string, vocabulary: string[]): Near {
  const others = vocabulary
    .filter((candidate) => candidate !== word)
    .map((candidate) => ({ word: candidate, nearness: nearness(word, candidate) }))
    .filter((candidate) => candidate.nearness >= least)
    .sort((a, b) => b.nearness - a.nearness || (a.word < b.word ? -1 : 1));
  return [{ word, nearness: 100 }, ...others.slice(0, mostNear)];
}

const mostNear = 20;

/** Candidates by how much of what is wanted each says: every word counts by the nearest that stands for it, a quarter more in the
 *  title. Then what holds before what is over, then by standing, then the newest. */
export function rankNear<T extends Rankable & { text: string }>(wanted: Near[], candidates: T[], standing: (item: T) => Standing): T[] {
  const known = wanted.map((one) => new Map(one.map(({ word, nearness }) => [word, nearness])));
  const best = (near: Map<string, number>, words: string[]): number => words.reduce((most, word) => Math.max(most, near.get(word) ?? 0), 0);
  return candidates
    .map((item) => {
      const title = [...terms(item.title), ...item.labels.flatMap(terms)];
      const text = terms(item.text);
      const met = known.reduce((sum, near) => sum + Math.max(Math.round(best(near, title) * 1.25), best(near, text)), 0);
      // A match that is not in sight stands further down in a long text.
      return { item, met: Math.max(met, least), ...standing(item) };
    })
    .sort((a, b) => b.met - a.met || a.over - b.over || a.early - b.early || a.late - b.late || b.seq - a.seq)
    .map(({ item }) => item);
}
