import { boolean, description, metadata, optional, pipe, strictObject } from 'valibot';
import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { ResolutionSchema, type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { NoteText, Reason } from '#core/model/texts.ts';
import { defined, omitEmpty, removeDuplicates } from '#lib/collections.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { closedTasks } from './shared/closed-tasks.ts';
import { createNotes } from './shared/create-task.ts';
import { fileDigests } from './shared/file-digests.ts';
import { readCompletedAhead } from './shared/read-ahead.ts';
import { findReadyStage } from './shared/ready-stage.ts';
import { requireTask } from './shared/require.ts';
import { listTaskIds, severalAliases, TaskIdsParam } from './shared/several.ts';
import { type CompleteResult, completeTask, requireTaskOrFocus } from './shared/task-transitions.ts';

/** Signatures leave these parameters out, because `tasks.cancel` has them. */
const rare = { isRare: true };

export const tasksComplete = mutation({
  name: 'tasks.complete',
  aliases: ['tasks.done'],
  summary: 'Mark a task done',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('The task; default: the focused one'))),
    taskIds: TaskIdsParam,
    resolution: optional(
      pipe(ResolutionSchema, description('cancelled, duplicate and wontfix do the same as cleo cancel'), metadata(rare)),
      'done',
    ),
    reason: optional(pipe(Reason, description('Why it will not be done, with another resolution than done'), metadata(rare))),
    notes: optional(pipe(NoteText, description('What to know about the result; appended to its notes'), metadata(rare))),
    cascade: optional(pipe(boolean(), description('With another resolution than done: also the open tasks inside it'), metadata(rare))),
  }),
  paramAliases: severalAliases,
  synonyms: ['close', 'finish', 'resolve', 'mark-done', 'mark-as-done', 'mark-complete', 'mark-completed'],
  result: strictObject(closedTasks),
  errors: [
    'E_NOT_FOUND',
    'E_VALIDATION_TRANSITION',
    'E_VALIDATION_DEPENDS',
    'E_VALIDATION_ACCEPTANCE',
    'E_HAS_CHILDREN',
    'E_CASCADE_FAILED',
    'E_TASK_COMPLETED',
    'E_TASK_CLAIMED',
    'E_FOCUS_REQUIRED',
    'E_GATE_DEPENDENCY',
    'E_EVIDENCE_STALE',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 0,
  observes: [fileDigests],
  publishesBy: 'sync.run',
  scope: { scope: 'decide', when: 'to cancel a task whose criteria are bound to evidence' },
  cli: { command: ['complete', 'done'], args: ['taskId'], several: 'taskIds' },
  example: { world: ['T001', 'T002 depends T001'], call: { taskId: 'T001' } },
  readAhead: (store, { taskId }, ctx) => readCompletedAhead(store, taskId, ctx),
  async run(ctx, { taskId, taskIds, resolution, reason, notes, cascade = false }) {
    const ids = listTaskIds(taskId, taskIds);
    if (resolution !== 'done') {
      if (reason === undefined)
        throw new CleoError('E_VALIDATION', {
          field: 'reason',
          problem: `is required with the resolution ${resolution}`,
          fix: ctx.commandWith({ reason: 'why it will not be done' }),
        });
      if (notes !== undefined)
        throw new CleoError('E_VALIDATION', {
          field: 'notes',
          problem: `are for a task that is done; with the resolution ${resolution} the reason says why`,
          fix: ctx.commandWith({ notes: undefined }),
        });
      const { cancelOne, cancelSeveral } = await import('./cancel.ts');
      const options = { resolution, reason, cascade };
      return ids ? cancelSeveral(ctx, ids, options) : cancelOne(ctx, taskId, options);
    }
    return ids ? completeSeveral(ctx, ids, notes) : completeOne(ctx, taskId, notes);
  },
});

async function completeOne(ctx: MutationContext, taskId: TaskId | undefined, notes: string | undefined) {
  const task = await requireTaskOrFocus(ctx, taskId, 'complete');
  if (task.status === 'done') {
    const added = createNotes(ctx, notes);
    await ctx.store.tasks.appendNotes(task, added);
    const data = { completedAt: task.completedAt ?? task.updatedAt, task: { ...toTaskReceipt(task), ...omitEmpty({ notes: added }) } };
    return added.length > 0 ? data : noChange(data);
  }
  // A server reads both with the task, and again only after another round trip.
  const ancestry = ctx.store.ahead && (await ctx.store.tasks.getAncestry(task.id));
  if (ctx.store.ahead) await ctx.store.ranks.expectClosing(task.id);
  const { task: done, unblocked, parentReady, warnings } = await completeTask(ctx, task);
  const added = createNotes(ctx, notes);
  await ctx.store.tasks.appendNotes(done, added);
  const stageReady = await findReadyStage(ctx, done.id, ancestry);
  return answer(
    {
      completedAt: done.completedAt!,
      task: { ...toTaskReceipt(done), ...omitEmpty({ notes: added }) },
      ...defined({ unblocked: unblocked.length > 0 ? unblocked : undefined, parentReady, stageReady }),
    },
    { warnings },
  );
}

/** Completes all of these tasks or none, each after those of them that it waits for. */
async function completeSeveral(ctx: MutationContext, ids: TaskId[], notes: string | undefined) {
  const { store } = ctx;
  const unchanged: TaskId[] = [];
  const results: CompleteResult[] = [];
  const { completeInOrder } = await import('./shared/several-order.ts');
  await completeInOrder(store, ids, async (id) => {
    const task = await requireTask(store, id);
    const isDone = task.status === 'done';
    if (isDone && notes === undefined) {
      unchanged.push(id);
      return;
    }
    const result = isDone ? { task, unblocked: [], warnings: [] } : await completeTask(ctx, task);
    await store.tasks.appendNotes(result.task, createNotes(ctx, notes));
    results.push(result);
  });
  const done = new Set(results.map(({ task }) => task.id));
  const tasks = results.map(({ task }) => ({ ...toTaskReceipt(task), completedAt: task.completedAt ?? task.updatedAt }));
  const unblocked = removeDuplicates(results.flatMap((result) => result.unblocked)).filter((id) => !done.has(id));
  const { listReadyParents, listReadyStages } = await import('./shared/several-ready.ts');
  const parentsReady = listReadyParents(results, done);
  const stagesReady = await listReadyStages(
    ctx,
    results.map(({ task }) => task),
  );
  return answer(
    { tasks, ...omitEmpty({ unchanged, unblocked, parentsReady, stagesReady }) },
    {
      ...(tasks.length === 0 ? { exit: 102 as const } : {}),
      warnings: results.flatMap(({ task, warnings }) => warnings.map((text) => `${task.id}: ${text}`)),
    },
  );
}
