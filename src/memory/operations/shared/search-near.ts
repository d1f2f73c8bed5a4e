import { rankNear, wordsNear } from '#core/rules/near.ts';
import { wantedOf } from '#core/rules/rank.ts';
import type { Found } from '#core/search.ts';
import type { Page, ReadStore } from '#store/port.ts';
import type { MemoryFilter } from '#store/port-memory.ts';
import type { MemoryHit } from '../../model/memory.ts';
import { memoryStanding } from '../../rules/memory-view.ts';

/** So many of each kind of candidate are judged: those that have all the words or their like, and the newest that have any. */
const judged = 200;

export async function searchNear(
  store: ReadStore,
  query: string,
  filter: MemoryFilter,
  { limit, offset }: Page,
): Promise<Found<MemoryHit>> {
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
