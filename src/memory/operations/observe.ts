import { strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { MemorySummary } from '../model/memory.ts';
import { NewMemory, observeSourceFirst, sourceObservations, storeMemory } from './shared/store-memory.ts';

export const memoryObserve = mutation({
  name: 'memory.observe',
  summary: 'Store an observation',
  params: NewMemory,
  paramAliases: { text: 'content', taskId: 'task', epicId: 'epic' },
  synonyms: ['add', 'new', 'create', 'save', 'remember', 'write', 'note'],
  result: strictObject({ memory: MemorySummary }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR'],
  tier: 0,
  observes: sourceObservations,
  observeFirst: observeSourceFirst,
  cli: { command: 'memory observe', args: ['content'], view: async () => (await import('../view.ts')).memoryView },
  example: { world: ['T001'], call: { content: 'The parser is slow on long lines', title: 'Slow on long lines', task: 'T001' } },
  run: (ctx, input) => storeMemory(ctx, 'observation', input),
});
