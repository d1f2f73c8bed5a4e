import { omit, optional, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { defined } from '#lib/defined.ts';
import { allowEmpty, TaskClaimSchema, TaskReceiptSchema } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { requireTask } from './shared/require.ts';

export const tasksCurrent = query({
  name: 'tasks.current',
  summary: 'Show the focused task',
  params: strictObject({}),
  result: strictObject({
    task: allowEmpty(TaskReceiptSchema),
    claim: optional(omit(TaskClaimSchema, ['until'])),
  }),
  errors: [],
  tier: 0,
  cli: { command: ['focus show', 'current'] },
  example: { call: {}, exit: 100 },
  async run({ store, caller }) {
    const focus = await store.claims.getHeldBy(caller);
    if (!focus) return noData({ task: {} });
    const task = await requireTask(store, focus.taskId);
    return {
      task: toTaskReceipt(task, ['priority', 'startedAt']),
      claim: defined({ agent: focus.agent, session: focus.session, since: focus.claimedAt }),
    };
  },
});
