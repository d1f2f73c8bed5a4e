import type { Shortcut } from '#core/cli-definition.ts';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { parseTaskId, type Status, StatusSchema, TaskIdSchema } from '#core/model/scalars.ts';
import { Label } from '#core/model/search-texts.ts';
import { isStorable } from '#core/model/storable.ts';
import { Reason, Title } from '#core/model/texts.ts';
import { defined, omitEmpty, removeDuplicates } from '#lib/collections.ts';
import '../errors.ts';
import {
  array,
  boolean,
  check,
  description,
  literal,
  maxLength,
  metadata,
  minLength,
  optional,
  pipe,
  strictObject,
  string,
  union,
} from 'valibot';
import { type TaskReceipt, TaskReceiptSchema, type TaskRecord, Timestamp } from '../model/task.ts';
import { Revision, taskFields } from '../model/task-fields.ts';
import { listRemovedBound } from '../rules/criteria.ts';
import type { TaskEdits } from '../rules/edit.ts';
import { checkTransition } from '../rules/transitions.ts';
import { listChangedFields, toTaskReceipt } from '../rules/view.ts';
import { baselineObservations, observeHeadFirst } from './shared/baseline.ts';
import { createNotes } from './shared/create-task.ts';
import { editTask } from './shared/edit.ts';
import { fileDigests } from './shared/file-digests.ts';
import { readTaskAhead } from './shared/read-ahead.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';
import { listTaskIds, severalAliases, TaskIdsParam, Unchanged } from './shared/several.ts';
import { blockTask, type CompleteResult, checkHolder, completeTask, requireTaskOrFocus, startTask } from './shared/task-transitions.ts';

const { parent: _, ...fields } = taskFields;

const noteAliases = { text: 'notes', body: 'notes', content: 'notes', message: 'notes' };
const comment: Shortcut = { args: ['taskId', 'notes'], variadic: true, paramAliases: noteAliases };
const addLabel: Shortcut = { args: ['taskId', 'addLabels'], paramAliases: { labels: 'addLabels', label: 'addLabels', tags: 'addLabels' } };
const removeLabel: Shortcut = {
  args: ['taskId', 'removeLabels'],
  paramAliases: { labels: 'removeLabels', label: 'removeLabels', tags: 'removeLabels' },
};
const addDependency: Shortcut = {
  args: ['taskId', 'addDepends'],
  paramAliases: { on: 'addDepends', depends: 'addDepends', dependsOn: 'addDepends' },
};
const removeDependency: Shortcut = {
  args: ['taskId', 'removeDepends'],
  paramAliases: { on: 'removeDepends', depends: 'removeDepends', dependsOn: 'removeDepends' },
};
const move: Shortcut = { args: ['taskId', 'parent'], paramAliases: { to: 'parent', into: 'parent', under: 'parent' } };
const setStatus: Shortcut = { args: ['taskId', 'status'], paramAliases: { to: 'status', value: 'status' } };
const setPriority: Shortcut = { args: ['taskId', 'priority'], paramAliases: { to: 'priority', value: 'priority' } };
const shortcuts: Record<string, Shortcut> = {
  move,
  mv: move,
  reparent: move,
  'set-parent': move,
  comment,
  note: comment,
  'add-comment': comment,
  'create-comment': comment,
  'add-note': comment,
  'append-note': comment,
  block: {
    args: ['taskId', 'blockedBy'],
    variadic: true,
    params: { status: 'blocked' },
    paramAliases: { reason: 'blockedBy', by: 'blockedBy', notes: 'blockedBy' },
  },
  unblock: { args: ['taskId'], params: { clearBlockedBy: true } },
  tag: addLabel,
  label: addLabel,
  'add-label': addLabel,
  untag: removeLabel,
  depend: addDependency,
  undepend: removeDependency,
  'dep add': addDependency,
  'dep remove': removeDependency,
  'add-dependency': addDependency,
  'remove-dependency': removeDependency,
  'set-status': setStatus,
  'change-status': setStatus,
  'update-status': setStatus,
  transition: setStatus,
  'set-priority': setPriority,
  'update-priority': setPriority,
  prioritize: setPriority,
  rename: { args: ['taskId', 'title'], variadic: true, paramAliases: { name: 'title', to: 'title' } },
  assign: { args: ['taskId', 'assignee'], paramAliases: { to: 'assignee', agent: 'assignee', name: 'assignee', user: 'assignee' } },
  unassign: { args: ['taskId'], params: { assignee: 'none' } },
};

export const tasksUpdate = mutation({
  name: 'tasks.update',
  summary: 'Change a task; notes are appended',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('The task; default: the focused one'))),
    taskIds: TaskIdsParam,
    title: optional(Title),
    ...fields,
    status: optional(pipe(StatusSchema, description('active starts, done completes, pending releases and blocked blocks the task'))),
    parent: optional(pipe(union([literal('none'), TaskIdSchema]), description('New parent; descendants move too; none: top level'))),
    addLabels: optional(pipe(array(Label), description('Labels to add'))),
    removeLabels: optional(pipe(array(Label), description('Labels to remove'))),
    addDepends: optional(pipe(array(TaskIdSchema), description('Dependencies to add'))),
    removeDepends: optional(pipe(array(TaskIdSchema), description('Dependencies to remove'))),
    blockedBy: optional(
      pipe(
        string(),
        minLength(1, 'must not be empty'),
        maxLength(1000, 'must have at most 1000 characters'),
        check(isStorable, 'must not contain NUL or lone surrogates'),
        description('Why it is blocked; sets the status to blocked'),
      ),
    ),
    clearBlockedBy: optional(pipe(boolean(), description('Unblock it; the status becomes pending'))),
    reason: optional(pipe(Reason, description('Why acceptance criteria change after the start'), metadata({ isRare: true }))),
    expectRevision: optional(pipe(Revision, description('Fail (exit 21) if the task has another revision'), metadata({ isRare: true }))),
  }),
  paramAliases: severalAliases,
  synonyms: ['edit', 'modify', 'change', 'patch'],
  shortcuts,
  result: strictObject({
    task: optional(TaskReceiptSchema),
    tasks: optional(array(TaskReceiptSchema)),
    unchanged: Unchanged,
    completedAt: optional(Timestamp),
    unblocked: optional(array(string())),
    parentReady: optional(string()),
    /** The same of several tasks. */
    parentsReady: optional(array(string())),
    released: optional(string()),
  }),
  errors: [
    'E_INVALID_INPUT',
    'E_NOT_FOUND',
    'E_PARENT_NOT_FOUND',
    'E_DEPTH_EXCEEDED',
    'E_SIBLING_LIMIT',
    'E_INVALID_PARENT_TYPE',
    'E_INVALID_RELATION',
    'E_CIRCULAR_REFERENCE',
    'E_TASK_COMPLETED',
    'E_HAS_CHILDREN',
    'E_CONCURRENT_MODIFICATION',
    'E_TASK_CLAIMED',
    'E_TASK_ASSIGNED',
    'E_TASK_NOT_IN_SCOPE',
    'E_SCOPE_CONFLICT',
    'E_FOCUS_REQUIRED',
    'E_GATE_DEPENDENCY',
    'E_EVIDENCE_STALE',
    'E_VALIDATION_TRANSITION',
    'E_VALIDATION_DEPENDS',
    'E_VALIDATION_ACCEPTANCE',
    'E_VALIDATION_FROZEN',
  ],
  tier: 0,
  observes: [...baselineObservations, fileDigests],
  observeFirst: ({ status }) => (status === 'active' ? observeHeadFirst() : []),
  scope: { scope: 'decide', when: 'to remove criteria that are bound to evidence' },
  cli: {
    command: 'update',
    args: ['taskId'],
    several: 'taskIds',
    texts: ['description', 'notes'],
    asks: 'changes',
    editor: async () => (await import('../model/task-editor.ts')).taskChangeEditor,
  },
  example: { world: ['T001'], call: { taskId: 'T001', priority: 'high', notes: 'Asked for by the team' } },
  readAhead: (store, { taskId }, ctx) => readTaskAhead(store, taskId, ctx),
  async run(ctx, { taskId, taskIds, ...changes }) {
    const ids = listTaskIds(taskId, taskIds);
    if (ids) return updateSeveral(ctx, ids, changes);
    const { receipt, isChanged, ...result } = await updateTask(ctx, await requireTaskOrFocus(ctx, taskId, 'update'), changes);
    const { unblocked, parentReady, released, completedAt, warnings } = result;
    return answer(
      { task: receipt, ...defined({ completedAt, unblocked: unblocked.length > 0 ? unblocked : undefined, parentReady, released }) },
      { ...(isChanged ? {} : { exit: 102 as const }), warnings },
    );
  },
});

interface TaskChanges extends TaskEdits {
  status?: Status | undefined;
  blockedBy?: string | undefined;
  clearBlockedBy?: boolean | undefined;
  notes?: string | undefined;
  reason?: string | undefined;
  expectRevision?: number | undefined;
}

interface UpdateResult {
  receipt: TaskReceipt;
  isChanged: boolean;
  completedAt: string | undefined;
  unblocked: string[];
  parentReady: string | undefined;
  released: string | undefined;
  warnings: string[];
}

/** Applies the same changes to all of these tasks or to none. The caller holds all tasks that it starts; the last one is its focus. */
async function updateSeveral(ctx: MutationContext, ids: string[], changes: TaskChanges) {
  if (changes.expectRevision !== undefined)
    throw new CleoError('E_INVALID_INPUT', {
      problem: 'expectRevision is the revision of one task; several were given',
      fix: 'cleo help update',
      field: 'expectRevision',
    });
  const results: UpdateResult[] = [];
  const update = async (id: string): Promise<void> => {
    const isFirst = !results.some(({ isChanged }) => isChanged);
    results.push(await updateTask(ctx, await requireTask(ctx.store, id), changes, !isFirst));
  };
  if (changes.status === 'done') await (await import('./shared/several-order.ts')).completeInOrder(ctx.store, ids, update);
  else for (const id of ids) await update(id);
  const changed = results.filter(({ isChanged }) => isChanged);
  const done = new Set(changed.map(({ receipt }) => receipt.id));
  const unblocked = removeDuplicates(results.flatMap((result) => result.unblocked)).filter((id) => !done.has(id));
  const unchanged = results.filter(({ isChanged }) => !isChanged).map(({ receipt }) => receipt.id);
  const parentsReady = results.some(({ parentReady }) => parentReady)
    ? (await import('./shared/several-ready.ts')).listReadyParents(results, done)
    : [];
  return answer(
    {
      tasks: changed.map(({ receipt, completedAt }) => ({ ...receipt, ...defined({ completedAt }) })),
      ...omitEmpty({ unchanged, unblocked, parentsReady }),
      ...defined({ released: results.find(({ released }) => released)?.released }),
    },
    {
      ...(changed.length === 0 ? { exit: 102 as const } : {}),
      warnings: results.flatMap(({ receipt, warnings }) => warnings.map((text) => `${receipt.id}: ${text}`)),
    },
  );
}

/** Updates a task. With `also`, starting it does not release the current focus. */
async function updateTask(ctx: MutationContext, before: TaskRecord, changes: TaskChanges, also = false): Promise<UpdateResult> {
  const { store } = ctx;
  const { status, blockedBy, clearBlockedBy, notes, reason, expectRevision, ...edits } = changes;
  await checkScope(ctx, before.id);
  if (expectRevision !== undefined && expectRevision !== before.revision)
    throw new CleoError('E_CONCURRENT_MODIFICATION', { taskId: before.id, expected: expectRevision, actual: before.revision });
  const target = resolveStatus(before, status, blockedBy, clearBlockedBy);
  if (blockedBy) checkBlockedReason(before, blockedBy);
  const edit = await editTask(ctx, before, edits, reason);
  requireBoundCriteria(ctx, before, edit);
  const saved = await store.tasks.save(before, edit, reason);
  const result = await applyStatus(ctx, saved, target, blockedBy, also);
  const [note] = createNotes(ctx, notes);
  if (note) await store.tasks.appendNotes(result.task, [note]);
  const changed = listChangedFields(before, result.task);
  const { unblocked = [], parentReady, released, warnings = [] } = result;
  return {
    receipt: { ...toTaskReceipt(result.task, changed), ...(note ? { notes: [note] } : {}) },
    isChanged: changed.length > 0 || note !== undefined,
    completedAt: target === 'done' ? result.task.completedAt : undefined,
    unblocked,
    parentReady,
    released,
    warnings,
  };
}

/** Requires a person to remove criteria that evidence decides about: without them the task could be completed or deleted unproved. */
function requireBoundCriteria(ctx: MutationContext, before: TaskRecord, after: TaskRecord): void {
  const removed = listRemovedBound(before.acceptance, after.acceptance).flatMap(({ gate }) => gate ?? []);
  if (removed.length === 0) return;
  ctx.requireScope('decide', { subject: before.id, action: `Removing ${removed.join(', ')} from the criteria of ${before.id}` });
}

/** Combines the parameters that affect the status. */
function resolveStatus(task: TaskRecord, status?: Status, blockedBy?: string, clearBlockedBy?: boolean): Status | undefined {
  if (!blockedBy) return clearBlockedBy && !status ? (task.status === 'blocked' ? 'pending' : undefined) : status;
  const problem =
    status && status !== 'blocked'
      ? 'blockedBy sets the status to blocked'
      : clearBlockedBy && 'blockedBy and clearBlockedBy cannot be combined';
  if (problem) throw new CleoError('E_INVALID_INPUT', { field: 'blockedBy', problem, fix: `cleo show ${task.id}` });
  return 'blocked';
}

/** Rejects a reason that consists of task ids: those belong in `depends`. */
function checkBlockedReason(task: TaskRecord, text: string): void {
  const ids = text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(parseTaskId);
  if (ids.length === 0 || ids.some((id) => id === undefined)) return;
  throw new CleoError('E_VALIDATION', {
    field: 'blockedBy',
    problem: 'must be a reason in words; add task ids as dependencies',
    fix: `cleo update ${task.id} --add-depends ${ids.join(',')}`,
  });
}

type TransitionResult = Pick<CompleteResult, 'task'> & Partial<CompleteResult> & { released?: string };

/** `--status X` does the same as the command for that transition. */
async function applyStatus(
  ctx: MutationContext,
  task: TaskRecord,
  to: Status | undefined,
  reason: string | undefined,
  also: boolean,
): Promise<TransitionResult> {
  if (to === undefined) return { task };
  if (to === 'blocked') return { task: await blockTask(ctx, task, reason) };
  if (to === task.status && to !== 'active') return { task };
  if (to === 'active') return startTask(ctx, task, { also });
  if (to === 'done') return completeTask(ctx, task);
  checkTransition(task, 'pending', 'setting it to pending');
  await checkHolder(ctx, task.id);
  const { blockedBy: _, ...rest } = task;
  await ctx.store.claims.release(task.id);
  return { task: await ctx.store.tasks.save(task, { ...rest, status: 'pending' }) };
}
