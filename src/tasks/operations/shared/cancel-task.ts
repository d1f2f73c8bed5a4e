import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type Resolution, type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { defined, removeDuplicates } from '#lib/collections.ts';
import '../../errors.ts';
import type { TaskRecord } from '../../model/task.ts';
import { formatHolder } from '../../rules/claims.ts';
import { hasBoundCriteria } from '../../rules/criteria.ts';
import { createNotes } from './create-task.ts';
import { requireTask } from './require.ts';
import { checkScope } from './scope.ts';
import { checkHolder, findForeignClaim, findReadyParent, listUnblocked } from './task-transitions.ts';

export interface CancelOptions {
  resolution: Exclude<Resolution, 'done'>;
  reason: string;
  cascade: boolean;
}

export interface CancelResult {
  task: TaskRecord;
  /** Open tasks inside it that were cancelled too. */
  cancelled: TaskId[];
  /** Open tasks that depend on one of these; their dependency counts as met. */
  dependents: TaskId[];
  unblocked: TaskId[];
  parentReady?: TaskId;
}

/** Checks whether a call would change nothing: the task has that resolution already. */
export const isCancelledAs = (task: TaskRecord, resolution: Resolution): boolean =>
  task.status === 'done' && task.resolution === resolution;

/** Makes a task done without its criteria. Its open children are cancelled with `cascade`. */
export async function cancelTask(ctx: MutationContext, task: TaskRecord, options: CancelOptions): Promise<CancelResult> {
  const { store } = ctx;
  const { resolution, reason, cascade } = options;
  if (task.status === 'done')
    throw new CleoError('E_TASK_COMPLETED', { taskId: task.id, act: 'cancelling it', fix: `cleo reopen ${task.id}` });
  await checkScope(ctx, task.id);
  await checkHolder(ctx, task.id);
  const open = (await store.tasks.listDescendants(task.id)).filter(({ status }) => status !== 'done').map(({ id }) => id);
  if (open.length > 0 && !cascade)
    throw new CleoError('E_HAS_CHILDREN', { taskId: task.id, children: open, act: 'cancel', retry: ctx.commandWith({ cascade: true }) });
  const held = await findForeignClaim(ctx, await store.claims.listForTasks(open));
  if (held) throw new CleoError('E_CASCADE_FAILED', { taskId: task.id, held: held.taskId, holder: formatHolder(held), act: 'cancelled' });
  const all = [task, ...(await store.tasks.getMany(open))];
  const bound = all.find(hasBoundCriteria);
  if (bound) ctx.requireScope('decide', { subject: task.id, action: `Cancelling ${bound.id}, whose criteria are bound to evidence,` });
  // Children first, so that no open task is inside a done one.
  for (const one of all.toReversed()) await cancelRecord(ctx, one, resolution, one.id === task.id ? reason : `${reason} (with ${task.id})`);
  const cancelled = new Set(all.map(({ id }) => id));
  const edges = (await store.tasks.listDependentIds([...cancelled])).filter(({ to }) => !cancelled.has(to));
  const dependents = (await store.tasks.getHits(removeDuplicates(edges.map(({ to }) => to)))).filter(({ status }) => status !== 'done');
  const unblocked: TaskId[] = [];
  for (const id of cancelled) unblocked.push(...(await listUnblocked(store, id)));
  return defined({
    task: await requireTask(store, task.id),
    cancelled: open,
    dependents: sortIds(dependents.map(({ id }) => id)),
    unblocked: sortIds(removeDuplicates(unblocked).filter((id) => !cancelled.has(id))),
    parentReady: await findReadyParent(store, task),
  });
}

async function cancelRecord(ctx: MutationContext, task: TaskRecord, resolution: Resolution, reason: string): Promise<void> {
  const { store, now } = ctx;
  await store.claims.release(task.id);
  const { blockedBy: _, ...rest } = task;
  const saved = await store.tasks.save(task, { ...rest, status: 'done', resolution, completedAt: now }, reason);
  await store.tasks.appendNotes(saved, createNotes(ctx, `${resolutionWords[resolution]}: ${reason}`));
}

const resolutionWords: Record<Resolution, string> = {
  done: 'Done',
  cancelled: 'Cancelled',
  duplicate: 'Closed as a duplicate',
  wontfix: 'Will not be done',
};

const sortIds = (ids: TaskId[]): TaskId[] => ids.sort((a, b) => toTaskNumber(a) - toTaskNumber(b));
