import { corrections, type Rankable, rank, type Standing, type Wanted, wantedOf } from '../rules/rank.ts';
import type { Page } from '../store/port.ts';

export interface Found<H> {
  hits: H[];
  count(atMost: number): Promise<number>;
}

/** What is searched, each question asked with the words that may stand for each word of the query. */
export interface Shelf<C> {
  candidates(wanted: string[][], how: { prefix: boolean; titleOnly: boolean }, limit: number): Promise<C[]>;
  count(wanted: string[][], how: { prefix: boolean }, atMost: number): Promise<number>;
  wordsLike(word: string): Promise<string[]>;
  standing(candidate: C): Standing;
}

type Candidate = Rankable & { id: string };

/** So many candidates of each stage are ranked; what matches beyond them follows newest first. */
const ranked = 200;

/** One page of what matches a text: that with all its words, then that with words that begin with them and, only where there is
 *  neither, that with words that it may be a misspelling of. What the query names outright (`named`) comes first. */
export async function search<H extends { id: string }, C extends H & Candidate>(
  shelf: Shelf<C>,
  query: string,
  { limit, offset }: Page,
  named: H | undefined,
): Promise<Found<H>> {
  const need = Math.max(ranked, offset + limit);
  const stage = (wanted: Wanted[], isPrefix: boolean): Promise<C[]> => arranged(shelf, wanted, isPrefix, need);
  const pageOf = (matches: C[], wanted: Wanted[]): Found<H> => {
    const extra = named && !matches.some((match) => match.id === named.id) ? 1 : 0;
    const all: H[] = named ? [named, ...matches.filter((match) => match.id !== named.id)] : matches;
    return {
      hits: all.slice(offset, offset + limit),
      count: async (atMost) =>
        extra + (matches.length < need ? matches.length : await shelf.count(wanted.map(wordsOf), { prefix: true }, atMost)),
    };
  };

  const wanted = wantedOf(query);
  if (wanted.length === 0) return pageOf([], []);
  const exact = await stage(wanted, false);
  const prefixed = exact.length < need ? without(await stage(wanted, true), exact) : [];
  const matches = [...exact, ...prefixed];
  if (matches.length > 0 || named) return pageOf(matches, wanted);
  const meant = await Promise.all(wanted.map(async ([one]) => corrections(one!.word, await shelf.wordsLike(one!.word))));
  if (meant.some((words) => words.length === 0)) return pageOf([], []);
  return {
    ...pageOf(await stage(meant, false), meant),
    count: (atMost) => shelf.count(meant.map(wordsOf), { prefix: false }, atMost),
  };
}

async function arranged<C extends Candidate>(shelf: Shelf<C>, wanted: Wanted[], prefix: boolean, need: number): Promise<C[]> {
  const words = wanted.map(wordsOf);
  const newest = await shelf.candidates(words, { prefix, titleOnly: false }, need);
  // Where there are more than were asked for, a good old match must not be lost among the newest.
  const titles = newest.length < need ? [] : await shelf.candidates(words, { prefix, titleOnly: true }, ranked);
  const head = [...newest.slice(0, ranked), ...without(titles, newest.slice(0, ranked))];
  return [...rank(wanted, prefix, head, shelf.standing), ...without(newest.slice(ranked), head)];
}

const wordsOf = (one: Wanted): string[] => one.map(({ word }) => word);

function without<T extends { id: string }>(items: T[], known: { id: string }[]): T[] {
  const ids = new Set(known.map(({ id }) => id));
  return items.filter(({ id }) => !ids.has(id));
}
