import { strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { NoTaskOr, TaskReceipt } from '../model/task.ts';
import { receiptOf } from '../rules/view.ts';
import { release } from './shared/moves.ts';
import { requireTask } from './shared/require.ts';

export const tasksStop = mutation({
  name: 'tasks.stop',
  summary: 'Let go of the focused task; it goes back to pending',
  params: strictObject({}),
  result: strictObject({ task: NoTaskOr(TaskReceipt) }),
  errors: [],
  tier: 0,
  cli: { command: ['stop', 'focus clear'] },
  example: { call: {}, exit: 102 },
  async run(ctx) {
    const focus = await ctx.store.claims.heldBy(ctx.caller);
    if (!focus) return noChange({ task: {} });
    return { task: receiptOf(await release(ctx, await requireTask(ctx.store, focus.taskId))) };
  },
});
