import { measureDistance, toTerms } from '#lib/terms.ts';
import { type Status, type TaskId, toTaskNumber } from '../model/scalars.ts';

/** What may stand for one word of a query: the word itself, or words of the vocabulary that it may be a typo of. */
export type WordChoices = string[];

export interface Rankable {
  title: string;
  labels: string[];
}

/** How something stands beside what it says; of each less is better, but the newest has the highest `seq`. */
export interface RankKey {
  /** It holds no longer: it goes behind everything that does, whatever it says. */
  outdated: number;
  /** Where two say it in the same places. */
  early: number;
  /** Where two say it equally well. */
  late: number;
  seq: number;
}

/** Open before done. */
export const toTaskRankKey = ({ id, status }: { id: TaskId; status: Status }): RankKey => ({
  outdated: 0,
  early: 0,
  late: Number(status === 'done'),
  seq: toTaskNumber(id),
});

/** The words that a query asks for; each must be matched. */
export const toQueryWords = (query: string): string[] => [...new Set(toTerms(query))].slice(0, maxWords);

const maxWords = 32;

/** How far a word may be from what was meant. Short words and words with digits are taken as written: one edit makes another word, or
 *  another version, of them. */
export const getMaxEdits = (word: string): number => (hasDigit(word) || word.length < 3 ? 0 : word.length < 6 ? 1 : 2);

// As in `terms`: the tables of Unicode cost a cold start, and most words do without.
const hasDigit = (word: string): boolean => (/[^\x00-\x7f]/.test(word) ? /\p{N}/u : /\d/).test(word);

/** Words of the vocabulary that are just so many edits away. */
export const findCorrections = (word: string, edits: number, vocabulary: string[]): WordChoices =>
  vocabulary
    .filter((candidate) => measureDistance(word, candidate, edits) === edits)
    .sort()
    .slice(0, maxCorrections);

const maxCorrections = 20;

/** Candidates that all match, best first: what holds before what is over; then words in the title before words in the labels before
 *  words elsewhere, with more for a title that says it in these words; then a title that says little else; with the standing in
 *  between; then the newest. It depends on nothing but its arguments, and not on their order, so that both databases give one answer. */
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

/** Whether each word stands in the title or in the labels, just as it is written. */
export function containsAllWords(wanted: WordChoices[], title: string, labels: string[]): boolean {
  const words = [title, ...labels].flatMap(toTerms);
  return wanted.every((one) => hasMatch(one, false, words));
}
