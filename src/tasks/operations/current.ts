import { optional, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { NoTaskOr, TaskReceipt, Timestamp } from '../model/task.ts';
import { receiptOf } from '../rules/view.ts';
import { requireTask } from './shared/require.ts';

export const tasksCurrent = query({
  name: 'tasks.current',
  summary: 'Show the focused task',
  params: strictObject({}),
  result: strictObject({
    task: NoTaskOr(TaskReceipt),
    claim: optional(strictObject({ agent: string(), session: optional(string()), since: Timestamp })),
  }),
  errors: [],
  tier: 0,
  cli: { command: ['focus show', 'current'] },
  example: { call: {}, exit: 100 },
  async run({ store, caller }) {
    const focus = await store.claims.heldBy(caller);
    if (!focus) return noData({ task: {} });
    const task = await requireTask(store, focus.taskId);
    return {
      task: receiptOf(task, ['priority', 'startedAt']),
      claim: { agent: focus.agent, ...(focus.session ? { session: focus.session } : {}), since: focus.claimedAt },
    };
  },
});
