import { boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, mutation, noChange } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { Reason } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import { TaskReceiptSchema } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { baselineObservations, observeHeadFirst } from './shared/baseline.ts';
import { readClaimAhead } from './shared/read-ahead.ts';
import { requireTask } from './shared/require.ts';
import { checkTakeOverReason, startTask } from './shared/task-transitions.ts';

export const tasksStart = mutation({
  name: 'tasks.start',
  summary: 'Claim a task and make it your focus',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('The task to work on')),
    also: optional(pipe(boolean(), description('Hold it in addition to your current focus'))),
    takeOver: optional(pipe(boolean(), description('Take it from its assignee, or a holder that is away or silent; needs a reason'))),
    reason: optional(pipe(Reason, description('Why you start it or take it over'))),
  }),
  synonyms: ['take', 'claim', 'begin', 'pick', 'pick-up', 'work-on', 'checkout', 'set-focus'],
  result: strictObject({ task: TaskReceiptSchema, released: optional(string()), takenOverFrom: optional(string()) }),
  errors: ['E_NOT_FOUND', 'E_TASK_CLAIMED', 'E_TASK_ASSIGNED', 'E_TASK_COMPLETED', 'E_VALIDATION_DEPENDS', 'E_TASK_NOT_IN_SCOPE'],
  tier: 0,
  observes: baselineObservations,
  observeFirst: observeHeadFirst,
  scope: { scope: 'decide', when: 'to take the task from a holder that is present' },
  cli: { command: ['start', 'focus set'], args: ['taskId'] },
  example: { world: ['T001'], call: { taskId: 'T001' } },
  readAhead: (store, { taskId }, ctx) => readClaimAhead(store, taskId, ctx),
  async run(ctx, { taskId, ...options }) {
    checkTakeOverReason(ctx, taskId, options);
    const { task, isHeld, released, takenOverFrom, takenReason } = await startTask(ctx, await requireTask(ctx.store, taskId), options);
    if (isHeld) return noChange({ task: toTaskReceipt(task) });
    return answer(defined({ task: toTaskReceipt(task, ['startedAt']), released, takenOverFrom }), {
      warnings: takenOverFrom ? [`taken over from ${takenOverFrom}: ${takenReason}`] : [],
    });
  },
});
