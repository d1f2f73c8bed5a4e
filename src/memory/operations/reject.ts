import { description, optional, pipe, strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { Reason } from '#core/model/scalars.ts';
import { MemorySummary } from '../model/memory.ts';
import { idNames, idParam } from './fetch.ts';
import { decide } from './shared/decide.ts';

export const memoryReject = mutation({
  name: 'memory.reject',
  summary: 'Say that an entry does not hold; of a decision only a person can',
  params: strictObject({ id: idParam, reason: optional(pipe(Reason, description('Why (at most 1,000 characters)'))) }),
  paramAliases: idNames,
  result: strictObject({ memory: MemorySummary }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_AUTONOMOUS_BOUNDARY'],
  tier: 1,
  cli: { command: 'memory reject', args: ['id'] },
  example: { world: ['memory pattern: Every parser has a lexer'], call: { id: 'P-001', reason: 'Ours has none' } },
  run: (ctx, { id, reason }) => decide(ctx, id, 'rejected', reason),
});
