import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { DatedRelation, DeletedTask, StoredRelation } from '#store/port/tasks.ts';
import type { TaskChange } from '#store/port/undo.ts';
import type { TaskRecord } from '../../model/task.ts';
import { toFocusTime } from '../../rules/claims.ts';
import { hasBoundCriteria, listRemovedBound } from '../../rules/criteria.ts';
import { checkDependsExist, checkPosition } from './create-task.ts';
import { checkNoCycle } from './order.ts';
import { requireTask } from './require.ts';
import { checkScope } from './scope.ts';

const creations = ['created', 'restored', 'imported'];

/** Takes back the changes that one write made to tasks, as new changes. Rejects it if something else depends on them by now.
 *  `reject` creates the error. */
export async function undoTaskChanges(ctx: MutationContext, changes: TaskChange[], reject: (problem: string) => CleoError): Promise<void> {
  const { store } = ctx;
  const created = changes.filter(({ field }) => creations.includes(field)).map(({ taskId }) => taskId);
  const restoredIds = changes.filter(({ field }) => field === 'restored').map(({ taskId }) => taskId);
  const deleted = changes.filter(({ field }) => field === 'deleted').map(({ old }) => old as DeletedTask);
  const edited = [...new Set(changes.map(({ taskId }) => taskId))].filter(
    (id) => !created.includes(id) && !deleted.some(({ record }) => record.id === id),
  );
  for (const id of [...created, ...edited]) await checkScope(ctx, id);
  for (const task of deleted.toReversed()) await reinsertTask(ctx, task);
  for (const relation of listRelations(deleted)) await relateAgain(ctx, relation, reject, 'restored');
  // Backwards: a task that was completed after another may depend on it.
  for (const id of edited.toReversed())
    await revertTask(
      ctx,
      id,
      changes.filter((change) => change.taskId === id && !isRelatedTo(change, restoredIds)),
      reject,
    );
  for (const id of created) await checkUnused(ctx, id, created, restoredIds.includes(id), reject);
  const removals = [];
  for (const id of created.toReversed()) {
    // A restored task is deleted again, as it was before.
    const former = restoredIds.includes(id) ? await store.tasks.getLastDeleted(id) : undefined;
    removals.push({ id, root: former?.root ?? id, dependents: former?.dependents ?? [] });
  }
  await store.deletions.removeMany(removals);
  const restored = [...edited, ...deleted.map(({ record }) => record.id)];
  await checkPlaces(ctx, restored);
}

/** Inserts a deleted task with its notes and its evidence. An active one is claimed again: only its holder could delete it. */
async function reinsertTask(ctx: MutationContext, task: DeletedTask): Promise<void> {
  const { store, now } = ctx;
  const { record, notes } = task;
  const updatedAt = now > record.updatedAt ? now : record.updatedAt;
  await store.tasks.insert({ ...record, updatedAt, revision: record.revision + 1 }, notes, 'restored');
  await store.deletions.restoreAttached(task);
  if (record.status === 'active') await claimAgain(ctx, record.id);
}

/** The relations of the deleted tasks, each once: one between two of them is in both records. */
const listRelations = (deleted: DeletedTask[]): DatedRelation[] => [
  ...new Map(
    deleted.flatMap(({ relations }) => relations.map((relation) => [`${relation.from} ${relation.to} ${relation.type}`, relation])),
  ).values(),
];

/** A relation to a restored task is deleted with it, so that its next restore finds it. */
const isRelatedTo = ({ field, new: added }: TaskChange, ids: TaskId[]): boolean =>
  field === 'relations' && ids.includes((added as StoredRelation | undefined)?.to ?? '');

async function relateAgain(
  { store }: MutationContext,
  relation: DatedRelation,
  reject: (problem: string) => CleoError,
  origin?: 'restored',
): Promise<void> {
  const [missing] = await store.tasks.findMissing([relation.from, relation.to]);
  if (missing) throw reject(`${missing}, which was related, no longer exists`);
  await store.tasks.relate(relation, origin);
}

/** Restores the fields, notes and relations of a task that the write changed. */
async function revertTask(ctx: MutationContext, id: TaskId, changes: TaskChange[], reject: (problem: string) => CleoError): Promise<void> {
  const { store } = ctx;
  const present = await requireTask(store, id);
  const fields: Record<string, unknown> = {};
  // The first change of a field has its value before the write.
  for (const { field, old } of changes.toReversed()) if (!['notes', 'relations'].includes(field)) fields[field] = old;
  const target = Object.fromEntries(
    Object.entries({ ...present, ...fields }).filter(([, value]) => value !== undefined),
  ) as unknown as TaskRecord;
  await checkRevert(ctx, present, target, reject);
  const saved = await store.tasks.save(present, target, 'undo');
  if (target.status !== present.status) await revertClaim(ctx, present, target);
  const noteCount = changes.filter(({ field }) => field === 'notes').length;
  if (noteCount > 0) await store.undo.removeNotes(saved, noteCount);
  for (const { old, new: added } of changes.filter(({ field }) => field === 'relations').toReversed()) {
    const [former, later] = [old, added] as (Omit<DatedRelation, 'from'> | undefined)[];
    if (former) await relateAgain(ctx, { ...former, from: id }, reject);
    else if (later) await store.tasks.unrelate(id, later.to, later.type);
  }
}

/** Rejects a revert that another write prevents: what is done may have been built on, and evidence is not restored. */
async function checkRevert(
  ctx: MutationContext,
  present: TaskRecord,
  target: TaskRecord,
  reject: (problem: string) => CleoError,
): Promise<void> {
  const { store } = ctx;
  const { id } = present;
  const removed = listRemovedBound(present.acceptance, target.acceptance).flatMap(({ gate }) => gate ?? []);
  if (removed.length > 0) ctx.requireScope('decide', { subject: id, action: `Removing ${removed.join(', ')} from the criteria of ${id}` });
  if (present.status === target.status) return;
  if (present.status !== 'done' && target.status === 'done' && (await store.gates.listAttempts(id)).length > 0)
    throw reject(`the evidence of ${id} was reset when it was reopened`);
  if (present.status !== 'done') return;
  const begun = (await store.tasks.listDependents(id)).find(({ status }) => status === 'active' || status === 'done');
  if (begun) throw reject(`${begun.id} depends on ${id} and is ${begun.status}`);
  const [, parent] = await store.tasks.getAncestry(id);
  if (parent?.status === 'done') throw reject(`${parent.id}, which contains ${id}, is done`);
  // A cancelled task is in no release.
  const unreleased = present.resolution === 'done' ? await store.releases.listUnreleased(id) : [id];
  if (!unreleased.includes(id)) throw reject(`${id} is in a release`);
}

async function revertClaim(ctx: MutationContext, present: TaskRecord, target: TaskRecord): Promise<void> {
  if (present.status === 'active') await ctx.store.claims.release(present.id);
  if (target.status === 'active') await claimAgain(ctx, present.id);
}

async function claimAgain({ store, caller, now }: MutationContext, taskId: TaskId): Promise<void> {
  const focusedAt = toFocusTime(now, await store.claims.getHeldBy(caller));
  await store.claims.insert({ taskId, ...caller, claimedAt: now, focusedAt, renewedAt: now });
}

/** Rejects the removal of a new task that something else refers to. A restored task had its relations, memory, documents and evidence
 *  before, and its deletion stores them. */
async function checkUnused(
  ctx: MutationContext,
  id: TaskId,
  created: TaskId[],
  isRestored: boolean,
  reject: (problem: string) => CleoError,
): Promise<void> {
  const { store } = ctx;
  const task = await requireTask(store, id);
  const outside = (others: string[]): string | undefined => others.find((other) => !created.includes(other));
  const child = outside((await store.tasks.listChildren(id)).map((each) => each.id));
  if (child) throw reject(`${id} contains ${child}`);
  const dependent = outside((await store.tasks.listDependents(id)).map((each) => each.id));
  if (dependent) throw reject(`${dependent} depends on ${id}`);
  const session = (await store.sessions.listActive()).find(({ scope }) => scope.root === id);
  if (session) throw reject(`${id} is the scope of ${session.id}`);
  if (hasBoundCriteria(task)) ctx.requireScope('decide', { subject: id, action: `Removing ${id}, whose criteria are bound to evidence,` });
  if (isRestored) return;
  const related = outside((await store.tasks.listRelations(id)).map(({ taskId }) => taskId));
  if (related) throw reject(`${related} and ${id} are related`);
  const [memory] = await store.memory.listForTask(id);
  if (memory) throw reject(`${memory.id} is about ${id}`);
  const [doc] = await store.docs.listForTask(id);
  if (doc) throw reject(`the document ${doc.slug} is attached to ${id}`);
  if ((await store.gates.listAttempts(id)).length > 0) throw reject(`${id} has evidence`);
}

/** Checks parents and dependencies of the restored tasks, because other tasks may have changed since. */
async function checkPlaces(ctx: MutationContext, ids: TaskId[]): Promise<void> {
  const { store } = ctx;
  const tasks = await store.tasks.getMany(ids);
  for (const task of tasks) {
    await checkDependsExist(store, task.depends);
    const [, ...ancestry] = await store.tasks.getAncestry(task.id);
    if (task.parentId && ancestry.length === 0)
      throw new CleoError('E_PARENT_NOT_FOUND', { parent: task.parentId, fix: `cleo restore ${task.parentId}` });
    await checkPosition(ctx, task, ancestry, false);
  }
  if (tasks.length > 0) await checkNoCycle(store, tasks, 'parent');
}
