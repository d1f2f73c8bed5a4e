import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { Reason } from '#core/model/texts.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { TaskReceiptSchema, type TaskRecord } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { baselineObservations, observeHeadFirst } from './shared/baseline.ts';
import { checkParentOpen, checkPosition } from './shared/create-task.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';
import { createTaskIdParam, listTaskIds, severalAliases, TaskIdsParam, Unchanged } from './shared/several.ts';
import { sortByDepth } from './shared/several-order.ts';
import {
  checkDependsDone,
  checkTakeOverReason,
  claimTask,
  noteAssigneeTakeOver,
  releaseFocus,
  type StartOptions,
} from './shared/task-transitions.ts';

export const tasksReopen = mutation({
  name: 'tasks.reopen',
  summary: 'Reopen a done task and make it your focus',
  params: strictObject({
    taskId: createTaskIdParam('A done task'),
    taskIds: TaskIdsParam,
    takeOver: optional(pipe(boolean(), description('Take it from its assignee; needs a reason'))),
    reason: optional(pipe(Reason, description('Why you take it over'))),
  }),
  paramAliases: severalAliases,
  result: strictObject({
    task: optional(TaskReceiptSchema),
    tasks: optional(array(TaskReceiptSchema)),
    unchanged: Unchanged,
    released: optional(string()),
  }),
  errors: [
    'E_INVALID_INPUT',
    'E_NOT_FOUND',
    'E_TASK_ASSIGNED',
    'E_TASK_COMPLETED',
    'E_VALIDATION_DEPENDS',
    'E_SIBLING_LIMIT',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 1,
  observes: baselineObservations,
  observeFirst: observeHeadFirst,
  cli: { command: 'reopen', args: ['taskId'], several: 'taskIds' },
  example: { world: ['T001 done'], call: { taskId: 'T001' } },
  async run(ctx, { taskId, taskIds, ...options }) {
    const ids = listTaskIds(taskId, taskIds);
    checkTakeOverReason(ctx, taskId ?? ids![0]!, options);
    if (ids) return reopenSeveral(ctx, ids, options);
    const task = await requireTask(ctx.store, taskId!);
    await checkScope(ctx, task.id);
    if (task.status !== 'done') return noChange({ task: toTaskReceipt(task) });
    const { task: active, released } = await reopenTask(ctx, task, options);
    return { task: toTaskReceipt(active), ...defined({ released }) };
  },
});

/** Reopens all of these tasks or none, parents before their children. The caller holds all of them; the last one is its focus. */
async function reopenSeveral(ctx: MutationContext, ids: TaskId[], options: StartOptions) {
  const unchanged: TaskId[] = [];
  const tasks: TaskRecord[] = [];
  let released: TaskId | undefined;
  for (const id of await sortByDepth(ctx.store, ids, 'parents first')) {
    const task = await requireTask(ctx.store, id);
    await checkScope(ctx, id);
    if (task.status !== 'done') {
      unchanged.push(id);
      continue;
    }
    const reopened = await reopenTask(ctx, task, { ...options, also: tasks.length > 0 });
    released ??= reopened.released;
    tasks.push(reopened.task);
  }
  const result = { tasks: tasks.map((task) => toTaskReceipt(task)), ...omitEmpty({ unchanged }), ...defined({ released }) };
  return tasks.length === 0 ? noChange(result) : result;
}

/** Reopens a done task. With `also` the caller keeps its current focus as well. */
async function reopenTask(
  ctx: MutationContext,
  task: TaskRecord,
  { also, takeOver, reason }: StartOptions,
): Promise<{ task: TaskRecord; released: TaskId | undefined }> {
  const { store } = ctx;
  const { id } = task;
  const [, ...ancestry] = await store.tasks.getAncestry(id);
  checkParentOpen(ancestry[0], `reopening ${id} inside it`);
  if (task.assignee !== undefined && !takeOver) await (await import('./shared/assignee.ts')).checkAssignee(ctx, task, 'reopen');
  await checkPosition(ctx, { ...task, status: 'pending' }, ancestry);
  await checkDependsDone(store, id, 'reopened');
  const released = also ? undefined : await releaseFocus(ctx);
  // Old evidence does not cover new work.
  const hasEvidence = (await store.gates.listAttempts(id)).length > 0;
  const reset = hasEvidence ? await (await import('#verification/operations/shared/verification.ts')).resetVerification(ctx, task) : task;
  const { task: claimed } = await claimTask(ctx, reset);
  if (takeOver && task.assignee !== undefined) await noteAssigneeTakeOver(ctx, claimed, reason);
  return { task: claimed, released };
}
