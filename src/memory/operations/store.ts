import { description, pipe, strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { MemorySummary, MemoryTypeSchema } from '../model/memory.ts';
import { NewMemory, observeSourceFirst, sourceObservations, storeMemory } from './shared/store-memory.ts';

export const memoryStore = mutation({
  name: 'memory.store',
  summary: 'Store an observation, decision, pattern or learning',
  params: strictObject({ type: pipe(MemoryTypeSchema, description('Type of the entry')), ...NewMemory.entries }),
  paramAliases: { taskId: 'task', epicId: 'epic' },
  result: strictObject({ memory: MemorySummary }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR'],
  tier: 1,
  observes: sourceObservations,
  observeFirst: observeSourceFirst,
  cli: { command: 'memory store', view: async () => (await import('../view.ts')).memoryView },
  example: {
    world: ['T001 epic', 'research T001-parsers: Which parsers there are'],
    call: {
      type: 'decision',
      content: 'Tokens are structs',
      title: 'Tokens',
      epic: 'T001',
      tags: ['parser'],
      source: 'research:T001-parsers',
    },
  },
  run: (ctx, { type, ...input }) => storeMemory(ctx, type, input),
});
