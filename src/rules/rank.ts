import { type Status, seqOf, type TaskId } from '../model/scalars.ts';
import { distance, terms } from './terms.ts';

/** One word of a query and what may stand for it: the word itself, or words of the vocabulary that it may be a typo of. */
export type Wanted = { word: string; edits: number }[];

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
export const wantedOf = (query: string): Wanted[] => [...new Set(terms(query))].slice(0, mostWords).map((word) => [{ word, edits: 0 }]);

const mostWords = 32;

/** Words of the vocabulary that were probably meant, the nearest first. Short words and words with digits are taken as written:
 *  one edit makes another word, or another version, of them. */
export function corrections(word: string, vocabulary: string[]): Wanted {
  const limit = /\p{N}/u.test(word) || word.length < 3 ? 0 : word.length < 6 ? 1 : 2;
  return vocabulary
    .map((candidate) => ({ word: candidate, edits: distance(word, candidate, limit) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits || (a.word < b.word ? -1 : 1))
    .slice(0, mostCorrections);
}

const mostCorrections = 20;

/** Candidates that all match, best first: fewest typos; then what holds before what is over; then words in the title before words
 *  in the labels before words elsewhere, with more for a title that says it in these words; then a title that says little else; with
 *  the standing in between; then the newest. It depends on nothing but its arguments, and not on their order, so that both databases
 *  give one answer. */
export function rank<T extends Rankable>(wanted: Wanted[], isPrefix: boolean, candidates: T[], standing: (item: T) => Standing): T[] {
  return candidates
    .map((item) => ({ item, ...judge(wanted, isPrefix, item), ...standing(item) }))
    .sort(
      (a, b) =>
        a.edits - b.edits ||
        a.over - b.over ||
        b.points - a.points ||
        a.early - b.early ||
        b.wholeness - a.wholeness ||
        a.late - b.late ||
        b.seq - a.seq,
    )
    .map(({ item }) => item);
}

const inTitle = 8;
const inLabels = 4;
const elsewhere = 1;
const asPhrase = 4;

function judge(wanted: Wanted[], isPrefix: boolean, item: Rankable): { edits: number; points: number; wholeness: number } {
  const title = terms(item.title);
  const labels = item.labels.flatMap(terms);
  let edits = 0;
  let points = isPhraseOf(wanted, isPrefix, title) ? asPhrase : 0;
  for (const one of wanted) {
    const hit = least(one, isPrefix, title);
    const labelled = hit ?? least(one, isPrefix, labels);
    points += hit !== undefined ? inTitle : labelled !== undefined ? inLabels : elsewhere;
    // Where the match is not in sight, the worst typo is assumed.
    edits += labelled ?? Math.max(...one.map((w) => w.edits));
  }
  return { edits, points, wholeness: Math.min(wanted.length, title.length) / Math.max(1, title.length) };
}

/** The fewest edits with which one of these words is met, or undefined. */
function least(one: Wanted, isPrefix: boolean, words: string[]): number | undefined {
  let best: number | undefined;
  for (const { word, edits } of one)
    if ((best === undefined || edits < best) && words.some((w) => w === word || (isPrefix && w.startsWith(word)))) best = edits;
  return best;
}

function isPhraseOf(wanted: Wanted[], isPrefix: boolean, title: string[]): boolean {
  return (
    wanted.length > 1 &&
    title.some((_, start) => wanted.every((one, i) => least(one, isPrefix, title.slice(start + i, start + i + 1)) !== undefined))
  );
}
