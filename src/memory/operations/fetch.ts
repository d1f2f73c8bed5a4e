import { description, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { Memory, MemoryId } from '../model/memory.ts';
import { wholeMemory } from '../rules/memory-view.ts';
import { requireMemory } from './shared/require.ts';

export const idParam = pipe(MemoryId, description('The entry, e.g. D-001'));
export const idNames = { memoryId: 'id', decisionId: 'id' };

export const memoryFetch = query({
  name: 'memory.fetch',
  aliases: ['memory.show'],
  summary: 'Show everything about one entry: content, state, where it came from, what it cites',
  params: strictObject({ id: idParam }),
  paramAliases: idNames,
  result: strictObject({ memory: Memory }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: ['memory fetch', 'memory show'], args: ['id'] },
  example: { world: ['memory decision accepted: Tokens are structs'], call: { id: 'D-001' } },
  async run({ store }, { id }) {
    const entry = await requireMemory(store, id);
    return { memory: wholeMemory(entry, await store.memory.citedBy('memory', id), await store.memory.staleIn('memory', id)) };
  },
});
