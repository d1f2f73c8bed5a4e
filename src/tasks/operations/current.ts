import { array, omit, optional, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { allowEmpty, TaskClaimSchema, TaskReceiptSchema } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { requireTask } from './shared/require.ts';

export const tasksCurrent = query({
  name: 'tasks.current',
  summary: 'Show the focused task',
  params: strictObject({}),
  synonyms: ['get-focus', 'get-current'],
  result: strictObject({
    task: allowEmpty(TaskReceiptSchema),
    claim: optional(omit(TaskClaimSchema, ['until', 'state', 'lastSeen'])),
    /** Other tasks that the caller holds, the one focused last first. */
    alsoHeld: optional(array(string())),
  }),
  errors: [],
  tier: 0,
  dependsOnSession: true,
  cli: { command: ['focus show', 'current'] },
  example: { call: {}, exit: 100 },
  async run(ctx) {
    const { store, caller } = ctx;
    const [focus, ...others] = await store.claims.listHeldBy(caller);
    if (!focus) {
      const { findTakenOver, formatTakenOver } = await import('./shared/take-over.ts');
      const taken = await findTakenOver(ctx);
      return answer({ task: {} }, { exit: 100, warnings: taken ? [formatTakenOver(taken)] : [] });
    }
    const task = await requireTask(store, focus.taskId);
    return {
      task: toTaskReceipt(task, ['priority', 'startedAt']),
      claim: defined({ agent: focus.agent, session: focus.session, since: focus.claimedAt }),
      ...omitEmpty({ alsoHeld: others.map(({ taskId }) => taskId) }),
    };
  },
});
