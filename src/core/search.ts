import type { Page } from '#store/port.ts';
import { corrections, isPlainIn, mostEdits, type Rankable, rank, type Standing, type Wanted, wantedOf } from './rules/rank.ts';

export interface Found<H> {
  hits: H[];
  count(atMost: number): Promise<number>;
}

/** What is searched, each question asked with the words that may stand for each word of the query. */
export interface Shelf<C> {
  candidates(wanted: string[][], how: { prefix: boolean; titleOnly: boolean }, limit: number): Promise<C[]>;
  count(wanted: string[][], how: { prefix: boolean }, atMost: number): Promise<number>;
  /** Of those that have any. */
  labels(ids: string[]): Promise<Map<string, string[]>>;
  wordsLike(word: string, edits: number): Promise<string[]>;
  standing(candidate: C): Standing;
}

type Candidate = { id: string; title: string };

/** So many candidates of each kind are ranked; what matches beyond them follows newest first. */
const ranked = 60;

/** One page of what matches a text: that with all its words, then that with words that begin with them and, only where there is
 *  neither, that with words that it may be a misspelling of. What the query names outright (`named`) comes first. */
export async function search<H extends { id: string }, C extends H & Candidate>(
  shelf: Shelf<C>,
  query: string,
  { limit, offset }: Page,
  named: H | undefined,
): Promise<Found<H>> {
  const end = offset + limit;
  const pageOf = (matches: C[], count: (atMost: number) => Promise<number>): Found<H> => {
    const isMissing = named && !matches.some((match) => match.id === named.id);
    const all: H[] = named ? [named, ...matches.filter((match) => match.id !== named.id)] : matches;
    return { hits: all.slice(offset, end), count: async (atMost) => (isMissing ? 1 : 0) + (await count(atMost)) };
  };
  const wholeOf = (matches: C[]): Found<H> => pageOf(matches, async () => matches.length);

  const wanted = wantedOf(query).map((word): Wanted => [word]);
  if (wanted.length === 0) return wholeOf([]);
  // Most queries find less than a page, and then this is all there is.
  const few = Math.min(end, ranked);
  const begun = await shelf.candidates(wanted, { prefix: true, titleOnly: false }, few + 1);
  if (begun.length > few) return pageOf(await best(shelf, wanted, end), (atMost) => shelf.count(wanted, { prefix: true }, atMost));
  if (begun.length > 0 || named) return wholeOf(await exactFirst(shelf, wanted, begun));
  const meant = await Promise.all(wanted.map(([word]) => meantBy(shelf, word!)));
  if (meant.some((words) => words.length === 0)) return wholeOf([]);
  return pageOf(await arranged(shelf, meant, false, end), (atMost) => shelf.count(meant, { prefix: false }, atMost));
}

/** The words with the fewest edits; those with more are not what was meant. */
async function meantBy<C>(shelf: Shelf<C>, word: string): Promise<Wanted> {
  for (let edits = 1; edits <= mostEdits(word); edits++) {
    const found = corrections(word, edits, await shelf.wordsLike(word, edits));
    if (found.length > 0) return found;
  }
  return [];
}

/** Everything that matches. What has the words themselves is often in sight; else the store is asked. */
async function exactFirst<C extends Candidate>(shelf: Shelf<C>, wanted: Wanted[], all: C[]): Promise<C[]> {
  const judged = await labelled(shelf, wanted, all);
  const isPlain = judged.every(({ title, labels }) => isPlainIn(wanted, title, labels));
  const exact = isPlain ? judged : among(judged, await shelf.candidates(wanted, plain, all.length));
  return [...rank(wanted, false, exact, shelf.standing), ...rank(wanted, true, without(judged, exact), shelf.standing)];
}

const plain = { prefix: false, titleOnly: false };

/** The beginning of a long list, up to `end` at least. */
async function best<C extends Candidate>(shelf: Shelf<C>, wanted: Wanted[], end: number): Promise<C[]> {
  const exact = await arranged(shelf, wanted, false, end);
  return exact.length >= end ? exact : [...exact, ...without(await arranged(shelf, wanted, true, end), exact)];
}

async function arranged<C extends Candidate>(shelf: Shelf<C>, wanted: Wanted[], prefix: boolean, end: number): Promise<C[]> {
  // Nothing is better than a title that has all the words; and a good old one must not be lost among the newest.
  const titles = await shelf.candidates(wanted, { prefix, titleOnly: true }, ranked);
  if (titles.filter((one) => shelf.standing(one).over === 0).length >= end)
    return rank(wanted, prefix, titles.map(unlabelled), shelf.standing);
  const newest = await shelf.candidates(wanted, { prefix, titleOnly: false }, Math.max(ranked, end));
  const head = [...newest.slice(0, ranked), ...without(titles, newest.slice(0, ranked))];
  return [...rank(wanted, prefix, await labelled(shelf, wanted, head), shelf.standing), ...without(newest.slice(ranked), head)];
}

const unlabelled = <C>(one: C): C & { labels: string[] } => ({ ...one, labels: [] });

/** With their labels, which matter only where the title does not say it all. */
async function labelled<C extends Candidate>(shelf: Shelf<C>, wanted: Wanted[], found: C[]): Promise<(C & Rankable)[]> {
  const unsaid = found.filter(({ title }) => !isPlainIn(wanted, title, []));
  const labels = unsaid.length === 0 ? none : await shelf.labels(unsaid.map(({ id }) => id));
  return found.map((one) => ({ ...one, labels: labels.get(one.id) ?? [] }));
}

const none: Map<string, string[]> = new Map();

const idsOf = (items: { id: string }[]): Set<string> => new Set(items.map(({ id }) => id));

function among<T extends { id: string }>(items: T[], known: { id: string }[]): T[] {
  const ids = idsOf(known);
  return items.filter(({ id }) => ids.has(id));
}

function without<T extends { id: string }>(items: T[], known: { id: string }[]): T[] {
  const ids = idsOf(known);
  return items.filter(({ id }) => !ids.has(id));
}
