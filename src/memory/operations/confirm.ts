import { strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { MemorySummary } from '../model/memory.ts';
import { memoryIdAliases, memoryIdParam } from './fetch.ts';
import { decideMemory } from './shared/decide-memory.ts';

export const memoryConfirm = mutation({
  name: 'memory.confirm',
  summary: 'Confirm an entry; a decision requires a person',
  params: strictObject({ id: memoryIdParam }),
  paramAliases: memoryIdAliases,
  result: strictObject({ memory: MemorySummary }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_AUTONOMOUS_BOUNDARY'],
  tier: 1,
  cli: { command: ['memory confirm', 'memory accept'], args: ['id'], view: async () => (await import('../view.ts')).memoryView },
  example: { world: ['memory learning: Long lines are slow'], call: { id: 'L-001' } },
  run: (ctx, { id }) => decideMemory(ctx, id, 'accepted'),
});
