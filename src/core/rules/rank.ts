import { distance, terms } from '#lib/terms.ts';
import { type Status, seqOf, type TaskId } from '../model/scalars.ts';

/** What may stand for one word of a query: the word itself, or words of the vocabulary that it may be a typo of. */
export type Wanted = string[];

export interface Rankable {
  title: string;
  labels: string[];
}

/** How something stands beside what it says; of each less is better, but the newest has the highest `seq`. */
export interface Standing {
  /** It holds no longer: it goes behind everything that does, whatever it says. */
  over: number;
  /** Where two say it in the same places. */
  early: number;
  /** Where two say it equally well. */
  late: number;
  seq: number;
}

/** Open before done. */
export const taskStanding = ({ id, status }: { id: TaskId; status: Status }): Standing => ({
  over: 0,
  early: 0,
  late: Number(status === 'done'),
  seq: seqOf(id),
});

/** The words that a query asks for; each must be matched. */
export const wantedOf = (query: string): string[] => [...new Set(terms(query))].slice(0, mostWords);

const mostWords = 32;

/** How far a word may be from what was meant. Short words and words with digits are taken as written: one edit makes another word, or
 *  another version, of them. */
export const mostEdits = (word: string): number => (hasDigit(word) || word.length < 3 ? 0 : word.length < 6 ? 1 : 2);

// As in `terms`: the tables of Unicode cost a cold start, and most words do without.
const hasDigit = (word: string): boolean => (/[^\x00-\x7f]/.test(word) ? /\p{N}/u : /\d/).test(word);

/** Words of the vocabulary that are just so many edits away. */
export const corrections = (word: string, edits: number, vocabulary: string[]): Wanted =>
  vocabulary
    .filter((candidate) => distance(word, candidate, edits) === edits)
    .sort()
    .slice(0, mostCorrections);

const mostCorrections = 20;

/** Candidates that all match, best first: what holds before what is over; then words in the title before words in the labels before
 *  words elsewhere, with more for a title that says it in these words; then a title that says little else; with the standing in
 *  between; then the newest. It depends on nothing but its arguments, and not on their order, so that both databases give one answer. */
export function rank<T extends Rankable>(wanted: Wanted[], isPrefix: boolean, candidates: T[], standing: (item: T) => Standing): T[] {
  return candidates
    .map((item) => ({ item, ...judge(wanted, isPrefix, item), ...standing(item) }))
    .sort(
      (a, b) =>
        a.over - b.over || b.points - a.points || a.early - b.early || b.wholeness - a.wholeness || a.late - b.late || b.seq - a.seq,
    )
    .map(({ item }) => item);
}

const inTitle = 8;
const inLabels = 4;
const elsewhere = 1;
const asPhrase = 4;

function judge(wanted: Wanted[], isPrefix: boolean, item: Rankable): { points: number; wholeness: number } {
  const title = terms(item.title);
  const labels = item.labels.flatMap(terms);
  let points = isPhraseOf(wanted, isPrefix, title) ? asPhrase : 0;
  for (const one of wanted) points += isMet(one, isPrefix, title) ? inTitle : isMet(one, isPrefix, labels) ? inLabels : elsewhere;
  return { points, wholeness: Math.min(wanted.length, title.length) / Math.max(1, title.length) };
}

const isMet = (one: Wanted, isPrefix: boolean, words: string[]): boolean =>
  words.some((word) => one.includes(word) || (isPrefix && one.some((wanted) => word.startsWith(wanted))));

const isPhraseOf = (wanted: Wanted[], isPrefix: boolean, title: string[]): boolean =>
  wanted.length > 1 && title.some((_, start) => wanted.every((one, i) => isMet(one, isPrefix, title.slice(start + i, start + i + 1))));

/** Whether each word stands in the title or in the labels, just as it is written. */
export function isPlainIn(wanted: Wanted[], title: string, labels: string[]): boolean {
  const words = [title, ...labels].flatMap(terms);
  return wanted.every((one) => isMet(one, false, words));
}
