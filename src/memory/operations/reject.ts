import { description, optional, pipe, strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { Reason } from '#core/model/texts.ts';
import { decideDefinition, decideMemory } from './shared/decide-memory.ts';
import { memoryIdParam } from './shared/require-memory.ts';

export const memoryReject = mutation({
  name: 'memory.reject',
  summary: 'Reject an entry; a decision requires a person',
  params: strictObject({ id: memoryIdParam, reason: optional(pipe(Reason, description('Reason (at most 1,000 characters)'))) }),
  ...decideDefinition,
  cli: { command: 'memory reject', args: ['id'], view: async () => (await import('../view.ts')).memoryView },
  example: { world: ['memory pattern: Every parser has a lexer'], call: { id: 'P-001', reason: 'Ours has none' } },
  run: (ctx, { id, reason }) => decideMemory(ctx, id, 'rejected', reason),
});
