import { array, optional, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { limitParam } from '#core/page.ts';
import { Citing, MemorySummary } from '../model/memory.ts';
import { summaryOf } from '../rules/memory-view.ts';
import { idNames, idParam } from './fetch.ts';
import { requireMemory } from './shared/require.ts';

const Row = array(MemorySummary);

export const memoryTimeline = query({
  name: 'memory.timeline',
  summary: 'Show what stands around an entry: what it replaced, what it cites, what was written beside it',
  params: strictObject({ id: idParam, limit: limitParam(5, 'How many before and after it at most') }),
  paramAliases: idNames,
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
  cli: { command: 'memory timeline', args: ['id'] },
  example: { world: ['memory decision: Tokens are structs', 'memory learning: Follows from D-001'], call: { id: 'D-001' } },
  async run({ store }, { id, limit }) {
    const { memory } = store;
    const entry = await requireMemory(store, id);
    const rows = {
      supersedes: await memory.supersededBy(id),
      cites: await memory.citedBy('memory', id),
      before: await memory.beside(id, 'before', limit),
      after: await memory.beside(id, 'after', limit),
    };
    const [next] = entry.supersededBy ? await memory.hits([entry.supersededBy]) : [];
    const citedBy = await memory.citing(id);
    const some = Object.fromEntries(Object.entries(rows).flatMap(([key, hits]) => (hits.length > 0 ? [[key, hits.map(summaryOf)]] : [])));
    return {
      timeline: {
        memory: summaryOf(entry),
        ...some,
        ...(next ? { supersededBy: summaryOf(next) } : {}),
        ...(citedBy.length > 0 ? { citedBy } : {}),
      },
    };
  },
});
