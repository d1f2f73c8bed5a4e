import { strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { Memory } from '../model/memory.ts';
import { toMemory } from '../rules/memory-view.ts';
import { memoryIdAliases, memoryIdParam, requireMemory } from './shared/require-memory.ts';

export const memoryFetch = query({
  name: 'memory.fetch',
  aliases: ['memory.show'],
  summary: 'Show a memory entry',
  params: strictObject({ id: memoryIdParam }),
  paramAliases: memoryIdAliases,
  synonyms: ['get', 'read', 'view'],
  result: strictObject({ memory: Memory }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: ['memory fetch', 'memory show'], args: ['id'], view: async () => (await import('../view.ts')).memoryView },
  example: { world: ['memory decision accepted: Tokens are structs'], call: { id: 'D-001' } },
  async run({ store }, { id }) {
    const entry = await requireMemory(store, id);
    return { memory: toMemory(entry, await store.memory.listCited('memory', id), await store.memory.listStaleCitations('memory', id)) };
  },
});
