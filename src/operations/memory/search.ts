import { canonicalMemoryId, type MemoryHit } from '../../model/memory.ts';
import { memoryStanding } from '../../rules/memory-view.ts';
import { rankNear, wordsNear } from '../../rules/near.ts';
import { wantedOf } from '../../rules/rank.ts';
import type { Page, ReadStore } from '../../store/port.ts';
import type { MemoryCandidate, MemoryFilter } from '../../store/port-memory.ts';
import { type Found, search } from '../search.ts';

/** One page of the entries that match a text, all of them where there is none. A query that is an id finds that entry first. */
export async function searchMemory(
  store: ReadStore,
  query: string | undefined,
  filter: MemoryFilter,
  page: Page,
  isNear = false,
): Promise<Found<MemoryHit>> {
  if (!query) return { hits: await store.memory.list(filter, page), count: (atMost) => store.memory.count(filter, atMost) };
  if (isNear) return searchNear(store, query, filter, page);
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

/** So many of each kind of candidate are judged: those that have all the words or their like, and the newest that have any. */
const judged = 200;

async function searchNear(store: ReadStore, query: string, filter: MemoryFilter, { limit, offset }: Page): Promise<Found<MemoryHit>> {
  const wanted = await Promise.all(wantedOf(query).map(async (word) => wordsNear(word, await store.search.wordsLike(word))));
  if (wanted.length === 0) return { hits: [], count: async () => 0 };
  const words = wanted.map((one) => one.map(({ word }) => word));
  const exact = { prefix: false, titleOnly: false };
  const all = await store.memory.candidates(words, exact, filter, judged);
  const some = await store.memory.candidates(words, { ...exact, isAny: true }, filter, judged);
  const titled = await store.memory.candidates(words, { ...exact, isAny: true, titleOnly: true }, filter, judged);
  const begun = await store.memory.candidates(
    wanted.map(([one]) => [one!.word]),
    { prefix: true, titleOnly: false, isAny: true },
    filter,
    judged,
  );
  const found = [...new Map([...all, ...titled, ...some, ...begun].map((hit) => [hit.id, hit])).values()];
  const ids = found.map(({ id }) => id);
  const texts = await store.memory.openings(ids);
  const tags = await store.memory.tags(ids);
  const ranked = rankNear(
    wanted,
    found.map((hit) => ({ ...hit, labels: tags.get(hit.id) ?? [], text: texts.get(hit.id) ?? '' })),
    memoryStanding,
  );
  return { hits: ranked.slice(offset, offset + limit), count: async () => ranked.length };
}
