import { canonicalId } from '../../model/scalars.ts';
import type { TaskHit } from '../../model/task.ts';
import { corrections, rank, type Wanted, wantedOf } from '../../rules/rank.ts';
import { hitOf } from '../../rules/view.ts';
import type { Page, ReadStore, SearchCandidate, TaskFilter } from '../../store/port.ts';

export interface Found {
  hits: TaskHit[];
  count(atMost: number): Promise<number>;
}

/** So many candidates of each stage are ranked; what matches beyond them follows newest first. */
const ranked = 200;

/** One page of the tasks that match a text: those with all its words, then those with words that begin with them and, only where
 *  there is neither, those with words that it may be a misspelling of. A query that is an id finds that task first. */
export async function searchTasks(store: ReadStore, query: string, filter: TaskFilter, { limit, offset }: Page): Promise<Found> {
  const need = Math.max(ranked, offset + limit);
  const stage = (wanted: Wanted[], isPrefix: boolean): Promise<SearchCandidate[]> => arranged(store, wanted, isPrefix, filter, need);
  const pageOf = (matches: SearchCandidate[], wanted: Wanted[], named?: TaskHit): Found => {
    const extra = named && !matches.some((match) => match.id === named.id) ? 1 : 0;
    const all = named ? [named, ...matches.filter((match) => match.id !== named.id)] : matches;
    return {
      hits: all.slice(offset, offset + limit).map(hitOf),
      count: async (atMost) =>
        extra +
        (matches.length < need
          ? matches.length
          : await store.search.countCandidates(wanted.map(wordsOf), { prefix: true }, filter, atMost)),
    };
  };

  const wanted = wantedOf(query);
  if (wanted.length === 0) return pageOf([], []);
  const named = await taskNamed(store, query, filter);
  const exact = await stage(wanted, false);
  const prefixed = exact.length < need ? without(await stage(wanted, true), exact) : [];
  const matches = [...exact, ...prefixed];
  if (matches.length > 0 || named) return pageOf(matches, wanted, named);
  const meant = await Promise.all(wanted.map(async ([one]) => corrections(one!.word, await store.search.wordsLike(one!.word))));
  if (meant.some((words) => words.length === 0)) return pageOf([], []);
  return {
    ...pageOf(await stage(meant, false), meant),
    count: (atMost) => store.search.countCandidates(meant.map(wordsOf), { prefix: false }, filter, atMost),
  };
}

async function arranged(store: ReadStore, wanted: Wanted[], prefix: boolean, filter: TaskFilter, need: number): Promise<SearchCandidate[]> {
  const words = wanted.map(wordsOf);
  const newest = await store.search.candidates(words, { prefix, titleOnly: false }, filter, need);
  // Where there are more than were asked for, a good old match must not be lost among the newest.
  const titles = newest.length < need ? [] : await store.search.candidates(words, { prefix, titleOnly: true }, filter, ranked);
  const head = [...newest.slice(0, ranked), ...without(titles, newest.slice(0, ranked))];
  return [...rank(wanted, prefix, head), ...without(newest.slice(ranked), head)];
}

async function taskNamed(store: ReadStore, query: string, filter: TaskFilter): Promise<TaskHit | undefined> {
  const id = /^\s*(?:SG-|E-|T-)?T\d+\s*$/i.test(query) ? canonicalId(query) : undefined;
  if (!id) return undefined;
  const [first] = await store.tasks.byIdPrefix(id.slice(1), filter, { limit: 1, offset: 0 });
  return first?.id === id ? first : undefined;
}

const wordsOf = (one: Wanted): string[] => one.map(({ word }) => word);

function without<T extends { id: string }>(items: T[], known: { id: string }[]): T[] {
  const ids = new Set(known.map(({ id }) => id));
  return items.filter(({ id }) => !ids.has(id));
}
