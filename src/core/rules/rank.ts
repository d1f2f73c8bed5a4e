import { measureDistance, toTerms } from '#lib/terms.ts';
import { type Status, type TaskId, toTaskNumber } from '../model/scalars.ts';

/** The alternatives for one query word: the word itself, or the words that it may be a typo of. */
export type WordChoices = string[];

export interface Rankable {
  title: string;
  labels: string[];
}

/** The sort key of an item apart from its text. Smaller values rank higher, except `seq`, where newer is higher. */
export interface RankKey {
  /** 1 for an item that is no longer valid. It ranks below all valid items. */
  outdated: number;
  /** Compared if the matches are in the same places. */
  early: number;
  /** Compared if the titles match equally well. */
  late: number;
  seq: number;
}

/** Ranks open tasks before done ones. */
export const toTaskRankKey = ({ id, status }: { id: TaskId; status: Status }): RankKey => ({
  outdated: 0,
  early: 0,
  late: Number(status === 'done'),
  seq: toTaskNumber(id),
});

/** Splits a query into its distinct words. Each must match. */
export const toQueryWords = (query: string): string[] => [...new Set(toTerms(query))].slice(0, maxWords);

const maxWords = 32;

/** Returns how many typos a word may have. Short words and words with digits have none: one edit makes another word or version. */
export const getMaxEdits = (word: string): number => (hasDigit(word) || word.length < 3 ? 0 : word.length < 6 ? 1 : 2);

// Most words are ASCII. Loading the Unicode tables for them would slow down a cold start.
const hasDigit = (word: string): boolean => (/[^\x00-\x7f]/.test(word) ? /\p{N}/u : /\d/).test(word);

/** Finds the words of the vocabulary that are exactly `edits` edits away. */
export const findCorrections = (word: string, edits: number, vocabulary: string[]): WordChoices =>
  vocabulary
    .filter((candidate) => measureDistance(word, candidate, edits) === edits)
    .sort()
    .slice(0, maxCorrections);

const maxCorrections = 20;

/** Ranks candidates that all match: valid before outdated ones; then by where the words are (title, labels, text), with a bonus for
 *  a phrase in the title; then by the share of the title that matches; then the newest. The result does not depend on the order of the
 *  candidates, so that both databases give the same answer. */
export function rank<T extends Rankable>(wanted: WordChoices[], isPrefix: boolean, candidates: T[], toRankKey: (item: T) => RankKey): T[] {
  return candidates
    .map((item) => ({ item, ...scoreMatch(wanted, isPrefix, item), ...toRankKey(item) }))
    .sort(
      (a, b) =>
        a.outdated - b.outdated ||
        b.points - a.points ||
        a.early - b.early ||
        b.wholeness - a.wholeness ||
        a.late - b.late ||
        b.seq - a.seq,
    )
    .map(({ item }) => item);
}

const titlePoints = 8;
const labelPoints = 4;
const textPoints = 1;
const phrasePoints = 4;

function scoreMatch(wanted: WordChoices[], isPrefix: boolean, item: Rankable): { points: number; wholeness: number } {
  const title = toTerms(item.title);
  const labels = item.labels.flatMap(toTerms);
  let points = isPhrase(wanted, isPrefix, title) ? phrasePoints : 0;
  for (const one of wanted)
    points += hasMatch(one, isPrefix, title) ? titlePoints : hasMatch(one, isPrefix, labels) ? labelPoints : textPoints;
  return { points, wholeness: Math.min(wanted.length, title.length) / Math.max(1, title.length) };
}

const hasMatch = (one: WordChoices, isPrefix: boolean, words: string[]): boolean =>
  words.some((word) => one.includes(word) || (isPrefix && one.some((wanted) => word.startsWith(wanted))));

const isPhrase = (wanted: WordChoices[], isPrefix: boolean, title: string[]): boolean =>
  wanted.length > 1 && title.some((_, start) => wanted.every((one, i) => hasMatch(one, isPrefix, title.slice(start + i, start + i + 1))));

/** Checks whether title and labels contain every query word as a whole word. */
export function containsAllWords(wanted: WordChoices[], title: string, labels: string[]): boolean {
  const words = [title, ...labels].flatMap(toTerms);
  return wanted.every((one) => hasMatch(one, false, words));
}
