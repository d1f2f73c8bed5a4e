import { boolean, description, optional, picklist, pipe, strictObject } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { Reason } from '#core/model/texts.ts';
import { defined, omitEmpty, removeDuplicates } from '#lib/collections.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { type CancelOptions, type CancelResult, cancelTask, isCancelledAs } from './shared/cancel-task.ts';
import { closedTasks } from './shared/closed-tasks.ts';
import { findReadyStage } from './shared/ready-stage.ts';
import { requireTask } from './shared/require.ts';
import { listTaskIds, severalAliases, TaskIdsParam } from './shared/several.ts';
import { sortByDepth } from './shared/several-order.ts';
import { listReadyParents, listReadyStages } from './shared/several-ready.ts';
import { requireTaskOrFocus } from './shared/task-transitions.ts';

/** The first key is the one that `_meta.resultsField` names. */
const { task, ...others } = closedTasks;

export const tasksCancel = mutation({
  name: 'tasks.cancel',
  summary: 'Close a task that will not be done',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('The task; default: the focused one'))),
    taskIds: TaskIdsParam,
    reason: pipe(Reason, description('Why it will not be done; becomes a note')),
    resolution: optional(pipe(picklist(['cancelled', 'duplicate', 'wontfix']), description('How it is closed')), 'cancelled'),
    cascade: optional(pipe(boolean(), description('Cancel the open tasks inside it too'))),
  }),
  paramAliases: severalAliases,
  synonyms: ['abandon', 'drop', 'discard'],
  result: strictObject({ task, ...others }),
  errors: [
    'E_NOT_FOUND',
    'E_TASK_COMPLETED',
    'E_HAS_CHILDREN',
    'E_CASCADE_FAILED',
    'E_TASK_CLAIMED',
    'E_FOCUS_REQUIRED',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 1,
  scope: { scope: 'decide', when: 'if the task, or one below it, has criteria that are bound to evidence' },
  cli: { command: 'cancel', args: ['taskId'], several: 'taskIds' },
  dryRun: true,
  example: { world: ['T001', 'T002 depends T001'], call: { taskId: 'T001', reason: 'The customer no longer needs it' } },
  async run(ctx, { taskId, taskIds, reason, resolution, cascade = false }) {
    const options = { reason, resolution, cascade };
    const ids = listTaskIds(taskId, taskIds);
    return ids ? cancelSeveral(ctx, ids, options) : cancelOne(ctx, taskId, options);
  },
});

/** Cancels one task, or the focus. */
export async function cancelOne(ctx: MutationContext, taskId: TaskId | undefined, options: CancelOptions) {
  const task = await requireTaskOrFocus(ctx, taskId, 'cancel');
  if (isCancelledAs(task, options.resolution))
    return noChange({ task: toTaskReceipt(task, ['resolution']), completedAt: task.completedAt ?? task.updatedAt });
  const result = await cancelTask(ctx, task, options);
  return {
    task: toTaskReceipt(result.task, ['resolution']),
    completedAt: result.task.completedAt!,
    ...toEffects([result]),
    ...defined({ parentReady: result.parentReady, stageReady: await findReadyStage(ctx, task.id) }),
  };
}

/** Cancels all of these tasks or none, children before their parents. */
export async function cancelSeveral(ctx: MutationContext, ids: TaskId[], options: CancelOptions) {
  const unchanged: TaskId[] = [];
  const results: CancelResult[] = [];
  for (const id of await sortByDepth(ctx.store, ids, 'children first')) {
    const task = await requireTask(ctx.store, id);
    if (isCancelledAs(task, options.resolution)) unchanged.push(id);
    else results.push(await cancelTask(ctx, task, options));
  }
  const tasks = results.map(({ task }) => ({ ...toTaskReceipt(task, ['resolution']), completedAt: task.completedAt! }));
  const stagesReady = await listReadyStages(
    ctx,
    results.map(({ task }) => task),
  );
  const answer = {
    tasks,
    ...omitEmpty({ unchanged, parentsReady: listReadyParents(results, listClosed(results)), stagesReady }),
    ...toEffects(results),
  };
  return tasks.length === 0 ? noChange(answer) : answer;
}

const listClosed = (results: CancelResult[]): Set<TaskId> => new Set(results.flatMap(({ task, cancelled }) => [task.id, ...cancelled]));

/** Collects what the cancelled tasks affect, without the cancelled tasks themselves. */
function toEffects(results: CancelResult[]) {
  const closed = listClosed(results);
  const collect = (pick: (result: CancelResult) => TaskId[]): TaskId[] =>
    removeDuplicates(results.flatMap(pick)).filter((id) => !closed.has(id));
  return omitEmpty({
    cancelled: removeDuplicates(results.flatMap(({ cancelled }) => cancelled)),
    dependents: collect(({ dependents }) => dependents),
    unblocked: collect(({ unblocked }) => unblocked),
  });
}
