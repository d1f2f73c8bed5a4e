import { strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { MemorySummary } from '../model/memory.ts';
import { idNames, idParam } from './fetch.ts';
import { decide } from './shared/decide.ts';

export const memoryConfirm = mutation({
  name: 'memory.confirm',
  summary: 'Say that an entry holds; of a decision only a person can',
  params: strictObject({ id: idParam }),
  paramAliases: idNames,
  result: strictObject({ memory: MemorySummary }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_AUTONOMOUS_BOUNDARY'],
  tier: 1,
  cli: { command: ['memory confirm', 'memory accept'], args: ['id'] },
  example: { world: ['memory learning: Long lines are slow'], call: { id: 'L-001' } },
  run: (ctx, { id }) => decide(ctx, id, 'accepted'),
});
