import { boolean, description, metadata, optional, pipe } from 'valibot';
import { type SearchResult, search } from '#core/search.ts';
import type { MemoryCandidate, MemoryFilter } from '#store/port/memory.ts';
import type { Page } from '#store/port/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import { canonicalMemoryId, type MemoryHit } from '../../model/memory.ts';
import { getMemoryRankKey } from '../../rules/memory-view.ts';

export const nearParam = optional(
  pipe(boolean(), description('Include entries with only some of the words or similar ones'), metadata({ isRare: true })),
);

/** Returns one page of the entries that match a text; without a text, of all entries. An id as the text finds its entry first. */
export async function searchMemory(
  store: ReadStore,
  query: string | undefined,
  filter: MemoryFilter,
  page: Page,
  isNear = false,
): Promise<SearchResult<MemoryHit>> {
  if (!query) return { hits: await store.memory.list(filter, page), count: (atMost) => store.memory.count(filter, atMost) };
  if (isNear) return (await import('./search-near.ts')).searchNear(store, query, filter, page);
  return search<MemoryHit, MemoryCandidate>(
    {
      candidates: (wanted, how, limit) => store.memory.findCandidates(wanted, how, filter, limit),
      count: (wanted, how, atMost) => store.memory.countCandidates(wanted, how, filter, atMost),
      labels: store.memory.getTags,
      wordsLike: store.search.findSimilarWords,
      toRankKey: getMemoryRankKey,
    },
    query,
    page,
    await findById(store, query, filter),
  );
}

async function findById(store: ReadStore, query: string, { type, state, tag, task, inside }: MemoryFilter): Promise<MemoryHit | undefined> {
  const id = tag || task || inside ? undefined : canonicalMemoryId(query);
  const [hit] = id ? await store.memory.getHits([id]) : [];
  return hit && (!type || hit.type === type) && (!state || hit.state === state) ? hit : undefined;
}
