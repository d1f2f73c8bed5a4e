import { strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { allowEmpty, TaskReceiptSchema } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { requireTask } from './shared/require.ts';
import { releaseTask } from './shared/task-transitions.ts';

export const tasksStop = mutation({
  name: 'tasks.stop',
  summary: 'Release the focused task; it becomes pending',
  params: strictObject({}),
  result: strictObject({ task: allowEmpty(TaskReceiptSchema) }),
  errors: [],
  tier: 0,
  cli: { command: ['stop', 'focus clear'] },
  example: { call: {}, exit: 102 },
  async run(ctx) {
    const focus = await ctx.store.claims.getHeldBy(ctx.caller);
    if (!focus) return noChange({ task: {} });
    return { task: toTaskReceipt(await releaseTask(ctx, await requireTask(ctx.store, focus.taskId))) };
  },
});
