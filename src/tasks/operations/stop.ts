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
  async run(here) {
    const focus = await here.store.claims.heldBy(here.caller);
    if (!focus) return noChange({ task: {} });
    return { task: receiptOf(await release(here, await requireTask(here.store, focus.taskId))) };
  },
});
