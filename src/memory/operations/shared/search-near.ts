import { toQueryWords } from '#core/rules/rank.ts';
import { findSimilarWords, rankBySimilarity } from '#core/rules/similarity.ts';
import type { SearchResult } from '#core/search.ts';
import type { MemoryFilter } from '#store/port/memory.ts';
import type { Page } from '#store/port/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { MemoryHit } from '../../model/memory.ts';
import { getMemoryRankKey } from '../../rules/memory-view.ts';

/** Maximum number of candidates of each kind: entries with all words or similar ones, and the newest entries with any of them. */
const maxCandidates = 200;

export async function searchNear(
  store: ReadStore,
  query: string,
  filter: MemoryFilter,
  { limit, offset }: Page,
): Promise<SearchResult<MemoryHit>> {
  const queryWords = await Promise.all(
    toQueryWords(query).map(async (word) => findSimilarWords(word, await store.search.findSimilarWords(word))),
  );
  if (queryWords.length === 0) return { hits: [], count: async () => 0 };
  const words = queryWords.map((one) => one.map(({ word }) => word));
  const find = (wanted: string[][], how: { isAny?: true; titleOnly?: true; prefix?: true }) =>
    store.memory.findCandidates(wanted, { prefix: false, titleOnly: false, ...how }, filter, maxCandidates);
  const matches = [
    ...(await find(words, {})),
    ...(await find(words, { isAny: true, titleOnly: true })),
    ...(await find(words, { isAny: true })),
    ...(await find(
      words.map(([first]) => [first!]),
      { isAny: true, prefix: true },
    )),
  ];
  const candidates = [...new Map(matches.map((hit) => [hit.id, hit])).values()];
  const ids = candidates.map(({ id }) => id);
  const texts = await store.memory.getOpenings(ids);
  const tags = await store.memory.getTags(ids);
  const ranked = rankBySimilarity(
    queryWords,
    candidates.map((hit) => ({ ...hit, labels: tags.get(hit.id) ?? [], text: texts.get(hit.id) ?? '' })),
    getMemoryRankKey,
  );
  return { hits: ranked.slice(offset, offset + limit), count: async () => ranked.length };
}
