import { array, boolean, check, description, literal, maxLength, minLength, optional, pipe, strictObject, string, union } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { canonicalId, isStorable, Reason, Status, type Status as StatusName, TaskId, Title } from '#core/model/scalars.ts';
import { Revision, TaskReceipt, type TaskRecord, Timestamp, taskFields } from '../model/task.ts';
import { checkMove } from '../rules/transitions.ts';
import { changedFields, receiptOf } from '../rules/view.ts';
import { notesOf } from './shared/build.ts';
import { editTask } from './shared/edit.ts';
import { blockTask, type Completed, checkHolder, completeTask, namedOrFocused, startTask } from './shared/moves.ts';
import { checkScope } from './shared/scope.ts';

const { parent: _, ...fields } = taskFields;

export const tasksUpdate = mutation({
  name: 'tasks.update',
  summary: 'Change a task; notes are appended',
  params: strictObject({
    taskId: optional(pipe(TaskId, description('The task; without it the focused one'))),
    title: optional(Title),
    ...fields,
    status: optional(pipe(Status, description('active starts it, done completes it, pending lets it go, blocked blocks it'))),
    parent: optional(pipe(union([literal('none'), TaskId]), description('New parent, with everything below; none for the top level'))),
    addDepends: optional(pipe(array(TaskId), description('Further tasks that must be done before'))),
    removeDepends: optional(pipe(array(TaskId), description('Tasks it no longer waits for'))),
    blockedBy: optional(
      pipe(
        string(),
        minLength(1, 'must not be empty'),
        maxLength(1000, 'must have at most 1000 characters'),
        check(isStorable, 'must not contain NUL or lone surrogates'),
        description('Why it is blocked, in words; sets the status blocked'),
      ),
    ),
    clearBlockedBy: optional(pipe(boolean(), description('No longer blocked: back to pending'))),
    reason: optional(pipe(Reason, description('Why the acceptance criteria change after the start'))),
    expectRevision: optional(pipe(Revision, description('Refuse (21) if the task has another revision by now'))),
  }),
  result: strictObject({
    task: TaskReceipt,
    completedAt: optional(Timestamp),
    unblocked: optional(array(string())),
    parentReady: optional(string()),
    released: optional(string()),
  }),
  errors: [
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
  cli: { command: 'update', args: ['taskId'] },
  example: { world: ['T001'], call: { taskId: 'T001', priority: 'high', notes: 'Asked for by the team' } },
  async run(ctx, { taskId, status, blockedBy, clearBlockedBy, notes, reason, expectRevision, ...edits }) {
    const { store } = ctx;
    const before = await namedOrFocused(ctx, taskId, 'update');
    await checkScope(ctx, before.id);
    if (expectRevision !== undefined && expectRevision !== before.revision)
      throw new CleoError('E_CONCURRENT_MODIFICATION', { taskId: before.id, expected: expectRevision, actual: before.revision });
    const target = wantedStatus(before, { status, blockedBy, clearBlockedBy });
    if (blockedBy) checkReason(before, blockedBy);
    const edit = await editTask(ctx, before, edits, reason);
    const saved = await store.tasks.save(before, edit, reason);
    const moved = await move(ctx, saved, target, blockedBy);
    const [note] = notesOf(ctx, notes);
    if (note) await store.tasks.appendNote(moved.task, note);
    const changed = changedFields(before, moved.task);
    const { unblocked, parentReady, released, warnings = [] } = moved;
    return answer(
      {
        task: { ...receiptOf(moved.task, changed), ...(note ? { notes: [note] } : {}) },
        ...(target === 'done' && moved.task.completedAt ? { completedAt: moved.task.completedAt } : {}),
        ...(unblocked?.length ? { unblocked } : {}),
        ...(parentReady ? { parentReady } : {}),
        ...(released ? { released } : {}),
      },
      { ...(changed.length === 0 && !note ? { exit: 102 as const } : {}), warnings },
    );
  },
});

interface Wish {
  status: StatusName | undefined;
  blockedBy: string | undefined;
  clearBlockedBy: boolean | undefined;
}

/** The status that the parameters ask for together. */
function wantedStatus(task: TaskRecord, { status, blockedBy, clearBlockedBy }: Wish): StatusName | undefined {
  if (blockedBy && status && status !== 'blocked') throw contradiction(task, '--blocked-by sets the status blocked');
  if (blockedBy && clearBlockedBy) throw contradiction(task, '--blocked-by and --clear-blocked-by exclude each other');
  if (blockedBy) return 'blocked';
  if (clearBlockedBy && status === undefined) return task.status === 'blocked' ? 'pending' : undefined;
  return status;
}

const contradiction = (task: TaskRecord, problem: string): CleoError =>
  new CleoError('E_INVALID_INPUT', { problem, fix: `cleo show ${task.id}` });

/** `blockedBy` explains; what waits for tasks is a dependency. */
function checkReason(task: TaskRecord, text: string): void {
  const ids = text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(canonicalId);
  if (ids.length === 0 || ids.some((id) => id === undefined)) return;
  throw new CleoError('E_VALIDATION', {
    field: 'blockedBy',
    problem: 'is a reason in words; tasks to wait for are depends',
    fix: `cleo update ${task.id} --add-depends ${ids.join(',')}`,
  });
}

type Moved = Pick<Completed, 'task'> & Partial<Completed> & { released?: string };

/** `--status X` is another spelling of the command that makes that move. */
async function move(ctx: MutationContext, task: TaskRecord, to: StatusName | undefined, reason: string | undefined): Promise<Moved> {
  if (to === undefined) return { task };
  if (to === 'blocked') return { task: await blockTask(ctx, task, reason) };
  if (to === task.status && to !== 'active') return { task };
  if (to === 'active') return startTask(ctx, task);
  if (to === 'done') return completeTask(ctx, task);
  checkMove(task, 'pending', 'setting it to pending');
  await checkHolder(ctx, task.id);
  const { blockedBy: _, ...rest } = task;
  await ctx.store.claims.release(task.id);
  return { task: await ctx.store.tasks.save(task, { ...rest, status: 'pending' }) };
}
