import { array, optional, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { limitParam } from '#core/page.ts';
import { omitEmpty } from '#lib/collections.ts';
import { Citing, MemorySummary } from '../model/memory.ts';
import { toMemorySummary } from '../rules/memory-view.ts';
import { memoryIdAliases, memoryIdParam, requireMemory } from './shared/require-memory.ts';

const Row = array(MemorySummary);

export const memoryTimeline = query({
  name: 'memory.timeline',
  summary: 'Show entries written around the same time',
  params: strictObject({ id: memoryIdParam, limit: limitParam(5, 'Maximum number of entries before and after') }),
  paramAliases: memoryIdAliases,
  result: strictObject({
    timeline: strictObject({
      memory: MemorySummary,
      supersedes: optional(Row),
      supersededBy: optional(MemorySummary),
      cites: optional(Row),
      citedBy: optional(array(Citing)),
      before: optional(Row),
      after: optional(Row),
    }),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'memory timeline', args: ['id'], view: async () => (await import('../view.ts')).memoryView },
  example: { world: ['memory decision: Tokens are structs', 'memory learning: Follows from D-001'], call: { id: 'D-001' } },
  async run({ store }, { id, limit }) {
    const { memory } = store;
    const entry = await requireMemory(store, id);
    const rows = {
      supersedes: await memory.listSupersededBy(id),
      cites: await memory.listCited('memory', id),
      before: await memory.listNeighbours(id, 'before', limit),
      after: await memory.listNeighbours(id, 'after', limit),
    };
    const [next] = entry.supersededBy ? await memory.getHits([entry.supersededBy]) : [];
    const citedBy = await memory.listCiting(id);
    const lists = Object.fromEntries(Object.entries(rows).map(([key, hits]) => [key, hits.map(toMemorySummary)]));
    return {
      timeline: { memory: toMemorySummary(entry), ...omitEmpty({ ...lists, supersededBy: next && toMemorySummary(next), citedBy }) },
    };
  },
});
