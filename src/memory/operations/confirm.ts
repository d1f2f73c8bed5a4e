import { strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { decideDefinition, decideMemory } from './shared/decide-memory.ts';
import { memoryIdParam } from './shared/require-memory.ts';

export const memoryConfirm = mutation({
  name: 'memory.confirm',
  summary: 'Confirm an entry; a decision requires a person',
  params: strictObject({ id: memoryIdParam }),
  ...decideDefinition,
  cli: { command: ['memory confirm', 'memory accept'], args: ['id'], view: async () => (await import('../view.ts')).memoryView },
  example: { world: ['memory learning: Long lines are slow'], call: { id: 'L-001' } },
  run: (ctx, { id }) => decideMemory(ctx, id, 'accepted'),
});
