import { description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { allowEmpty, TaskReceiptSchema } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { readTaskAhead } from './shared/read-ahead.ts';
import { requireTask } from './shared/require.ts';
import { checkHolder, releaseTask } from './shared/task-transitions.ts';

export const tasksStop = mutation({
  name: 'tasks.stop',
  summary: 'Release a task you hold; it becomes pending',
  params: strictObject({ taskId: optional(pipe(TaskIdSchema, description('The task; default: the focused one'))) }),
  synonyms: ['unclaim', 'pause', 'unfocus', 'put-back'],
  result: strictObject({ task: allowEmpty(TaskReceiptSchema), released: optional(string()) }),
  errors: ['E_NOT_FOUND', 'E_TASK_CLAIMED'],
  tier: 0,
  publishesBy: 'sync.run',
  cli: { command: ['stop', 'focus clear'], args: ['taskId'] },
  example: { call: {}, exit: 102 },
  readAhead: (store, { taskId }, ctx) => readTaskAhead(store, taskId, ctx),
  async run(ctx, { taskId }) {
    if (taskId) return stopTask(ctx, taskId);
    const focus = await ctx.store.claims.getHeldBy(ctx.caller);
    if (focus) return stopTask(ctx, focus.taskId);
    const { findTakenOver, formatTakenOver } = await import('./shared/take-over.ts');
    const taken = await findTakenOver(ctx);
    return answer({ task: {} }, { exit: 102, warnings: taken ? [formatTakenOver(taken)] : [] });
  },
});

async function stopTask(ctx: MutationContext, id: TaskId) {
  const task = await requireTask(ctx.store, id);
  const claim = await checkHolder(ctx, id);
  if (!claim && task.status !== 'active') return noChange({ task: toTaskReceipt(task) });
  return { task: toTaskReceipt(await releaseTask(ctx, task)), released: id };
}
