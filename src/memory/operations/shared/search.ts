import { type Found, search } from '#core/search.ts';
import type { Page, ReadStore } from '#store/port.ts';
import type { MemoryCandidate, MemoryFilter } from '#store/port-memory.ts';
import { canonicalMemoryId, type MemoryHit } from '../../model/memory.ts';
import { memoryStanding } from '../../rules/memory-view.ts';

/** One page of the entries that match a text, all of them where there is none. A query that is an id finds that entry first. */
export async function searchMemory(
  store: ReadStore,
  query: string | undefined,
  filter: MemoryFilter,
  page: Page,
  isNear = false,
): Promise<Found<MemoryHit>> {
  if (!query) return { hits: await store.memory.list(filter, page), count: (atMost) => store.memory.count(filter, atMost) };
  if (isNear) return (await import('./search-near.ts')).searchNear(store, query, filter, page);
  return search<MemoryHit, MemoryCandidate>(
    {
      candidates: (wanted, how, limit) => store.memory.candidates(wanted, how, filter, limit),
      count: (wanted, how, atMost) => store.memory.countCandidates(wanted, how, filter, atMost),
      labels: store.memory.tags,
      wordsLike: store.search.wordsLike,
      standing: memoryStanding,
    },
    query,
    page,
    await named(store, query, filter),
  );
}

async function named(store: ReadStore, query: string, { type, state, tag, task, inside }: MemoryFilter): Promise<MemoryHit | undefined> {
  const id = tag || task || inside ? undefined : canonicalMemoryId(query);
  const [hit] = id ? await store.memory.hits([id]) : [];
  return hit && (!type || hit.type === type) && (!state || hit.state === state) ? hit : undefined;
}
