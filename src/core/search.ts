import type { Page } from '#store/port/page.ts';
import {
  containsAllWords,
  findCorrections,
  getMaxEdits,
  type Rankable,
  type RankKey,
  rank,
  toQueryWords,
  type WordChoices,
} from './rules/rank.ts';

export interface SearchResult<H> {
  hits: H[];
  count(atMost: number): Promise<number>;
}

/** The store of a search. Each query word is passed with its alternatives. */
interface SearchIndex<C> {
  candidates(wanted: string[][], how: { prefix: boolean; titleOnly: boolean }, limit: number): Promise<C[]>;
  count(wanted: string[][], how: { prefix: boolean }, atMost: number): Promise<number>;
  /** Returns the labels by id; ids without labels are missing. */
  labels(ids: string[]): Promise<Map<string, string[]>>;
  wordsLike(word: string, edits: number): Promise<string[]>;
  toRankKey(candidate: C): RankKey;
}

type Candidate = { id: string; title: string };

/** The number of candidates that are ranked. Further matches follow, newest first. */
const maxRanked = 60;

/** Searches for one page of matches: items with all query words, then items with words that begin with them, and if both
 *  lists are empty, items with words that the query may misspell. An item whose id is the query (`named`) comes first. */
export async function search<H extends { id: string }, C extends H & Candidate>(
  shelf: SearchIndex<C>,
  query: string,
  { limit, offset }: Page,
  named: H | undefined,
): Promise<SearchResult<H>> {
  const end = offset + limit;
  const pageOf = (matches: C[], count: (atMost: number) => Promise<number>): SearchResult<H> => {
    const isMissing = named && !matches.some((match) => match.id === named.id);
    const all: H[] = named ? [named, ...matches.filter((match) => match.id !== named.id)] : matches;
    return { hits: all.slice(offset, end), count: async (atMost) => (isMissing ? 1 : 0) + (await count(atMost)) };
  };
  const wholeOf = (matches: C[]): SearchResult<H> => pageOf(matches, async () => matches.length);

  const wanted = toQueryWords(query).map((word): WordChoices => [word]);
  if (wanted.length === 0) return wholeOf([]);
  // Most queries have fewer matches than a page, and then these are all.
  const few = Math.min(end, maxRanked);
  const begun = await shelf.candidates(wanted, { prefix: true, titleOnly: false }, few + 1);
  if (begun.length > few) return pageOf(await findBest(shelf, wanted, end), (atMost) => shelf.count(wanted, { prefix: true }, atMost));
  if (begun.length > 0 || named) return wholeOf(await rankExactFirst(shelf, wanted, begun));
  const meant = await Promise.all(wanted.map(([word]) => findTypoCorrections(shelf, word!)));
  if (meant.some((words) => words.length === 0)) return wholeOf([]);
  return pageOf(await rankCandidates(shelf, meant, false, end), (atMost) => shelf.count(meant, { prefix: false }, atMost));
}

/** Finds the words of the vocabulary with the fewest edits. */
async function findTypoCorrections<C>(shelf: SearchIndex<C>, word: string): Promise<WordChoices> {
  for (let edits = 1; edits <= getMaxEdits(word); edits++) {
    const found = findCorrections(word, edits, await shelf.wordsLike(word, edits));
    if (found.length > 0) return found;
  }
  return [];
}

/** Ranks all matches, exact matches first. The store is asked for them only if title and labels do not show which ones are exact. */
async function rankExactFirst<C extends Candidate>(shelf: SearchIndex<C>, wanted: WordChoices[], all: C[]): Promise<C[]> {
  const judged = await loadLabels(shelf, wanted, all);
  const isPlain = judged.every(({ title, labels }) => containsAllWords(wanted, title, labels));
  const exact = isPlain ? judged : keepListed(judged, await shelf.candidates(wanted, wholeWords, all.length));
  return [...rank(wanted, false, exact, shelf.toRankKey), ...rank(wanted, true, dropListed(judged, exact), shelf.toRankKey)];
}

const wholeWords = { prefix: false, titleOnly: false };

/** Returns the first `end` matches of a long list, or more. */
async function findBest<C extends Candidate>(shelf: SearchIndex<C>, wanted: WordChoices[], end: number): Promise<C[]> {
  const exact = await rankCandidates(shelf, wanted, false, end);
  return exact.length >= end ? exact : [...exact, ...dropListed(await rankCandidates(shelf, wanted, true, end), exact)];
}

async function rankCandidates<C extends Candidate>(
  shelf: SearchIndex<C>,
  wanted: WordChoices[],
  prefix: boolean,
  end: number,
): Promise<C[]> {
  // A title with all words ranks highest, so old ones must not be lost among the newest matches.
  const titles = await shelf.candidates(wanted, { prefix, titleOnly: true }, maxRanked);
  if (titles.filter((one) => shelf.toRankKey(one).outdated === 0).length >= end)
    return rank(wanted, prefix, titles.map(withoutLabels), shelf.toRankKey);
  const newest = await shelf.candidates(wanted, { prefix, titleOnly: false }, Math.max(maxRanked, end));
  const head = [...newest.slice(0, maxRanked), ...dropListed(titles, newest.slice(0, maxRanked))];
  return [...rank(wanted, prefix, await loadLabels(shelf, wanted, head), shelf.toRankKey), ...dropListed(newest.slice(maxRanked), head)];
}

const withoutLabels = <C>(one: C): C & { labels: string[] } => ({ ...one, labels: [] });

/** Loads the labels of candidates whose title does not contain all words. */
async function loadLabels<C extends Candidate>(shelf: SearchIndex<C>, wanted: WordChoices[], found: C[]): Promise<(C & Rankable)[]> {
  const unsaid = found.filter(({ title }) => !containsAllWords(wanted, title, []));
  const labels = unsaid.length === 0 ? noLabels : await shelf.labels(unsaid.map(({ id }) => id));
  return found.map((one) => ({ ...one, labels: labels.get(one.id) ?? [] }));
}

const noLabels: Map<string, string[]> = new Map();

const toIds = (items: { id: string }[]): Set<string> => new Set(items.map(({ id }) => id));

function keepListed<T extends { id: string }>(items: T[], known: { id: string }[]): T[] {
  const ids = toIds(known);
  return items.filter(({ id }) => ids.has(id));
}

function dropListed<T extends { id: string }>(items: T[], known: { id: string }[]): T[] {
  const ids = toIds(known);
  return items.filter(({ id }) => !ids.has(id));
}
