import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { toUid } from '#core/rules/uid.ts';
import { removeDuplicates } from '#lib/collections.ts';
import type { DeletedTask } from '#store/port/tasks.ts';
import { TaskReceiptSchema, type TaskRecord } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { checkPosition } from './shared/create-task.ts';
import { checkNoCycle } from './shared/order.ts';
import { checkSessionScopes } from './shared/reparent-checks.ts';
import { createNotFoundError, createParentNotFoundError, requireTask } from './shared/require.ts';
import { checkAncestryInScope } from './shared/scope.ts';

export const tasksRestore = mutation({
  name: 'tasks.restore',
  summary: 'Restore a deleted task',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('A deleted task')),
    cascade: optional(pipe(boolean(), description('Restore the tasks that were deleted with it too'))),
  }),
  synonyms: ['undelete'],
  result: strictObject({ task: TaskReceiptSchema, restored: array(string()) }),
  errors: [
    'E_NOT_FOUND',
    'E_PARENT_NOT_FOUND',
    'E_SIBLING_LIMIT',
    'E_DEPTH_EXCEEDED',
    'E_INVALID_PARENT_TYPE',
    'E_CIRCULAR_REFERENCE',
    'E_TASK_COMPLETED',
    'E_TASK_NOT_IN_SCOPE',
    'E_SCOPE_CONFLICT',
  ],
  tier: 1,
  cli: { command: 'restore', args: ['taskId'] },
  dryRun: true,
  example: { world: ['T001'], call: { taskId: 'T001' }, exit: 102 },
  async run(ctx, { taskId, cascade }) {
    const { store } = ctx;
    const present = await store.tasks.get(taskId);
    if (present) return noChange({ task: toTaskReceipt(present), restored: [] });
    const root = await store.tasks.getLastDeleted(taskId);
    if (!root) throw await createNotFoundError(store, taskId);
    const ids = cascade ? await store.tasks.listDeletedWith(taskId, root.at) : [taskId];
    const warnings: string[] = [];
    const records = await Promise.all((ids.length ? ids : [taskId]).map((id) => store.tasks.getLastDeleted(id)));
    const deleted = records.flatMap((task) => task ?? []);
    for (const task of deleted) await restoreTask(ctx, task, deleted, warnings);
    for (const task of deleted) await restoreRelations(ctx, task, warnings);
    await restoreDependents(ctx, deleted, warnings);
    const [, ...ancestors] = await store.tasks.getAncestry(taskId);
    await checkSessionScopes(ctx, taskId, ancestors);
    return answer(
      { task: toTaskReceipt(await requireTask(store, taskId)), restored: deleted.map(({ record }) => record.id) },
      { warnings },
    );
  },
});

/** Inserts the record below its parent. Dependencies on missing tasks are dropped, with a warning. */
async function restoreTask(ctx: MutationContext, task: DeletedTask, all: DeletedTask[], warnings: string[]): Promise<void> {
  const { store } = ctx;
  const { record, notes } = task;
  const ancestry = record.parentId ? await store.tasks.getAncestry(record.parentId) : [];
  if (record.parentId && ancestry.length === 0) {
    if (!(await store.tasks.getLastDeleted(record.parentId))) throw await createParentNotFoundError(store, record.parentId);
    throw new CleoError('E_PARENT_NOT_FOUND', { parent: record.parentId, fix: `cleo restore ${record.parentId} --cascade` });
  }
  const restoredIds = new Set(all.map((task) => task.record.id));
  if (!record.parentId || !restoredIds.has(record.parentId)) checkAncestryInScope(ctx.session, [record, ...ancestry], record.id);
  await checkPosition(ctx, record, ancestry);
  const missing = new Set((await store.tasks.findMissing(record.depends)).filter((id) => !restoredIds.has(id)));
  if (missing.size > 0) warnings.push(`${record.id} no longer depends on ${[...missing].join(', ')}, which no longer exist`);
  const restored: TaskRecord = {
    ...record,
    // Tasks that were deleted before schema 7 have none.
    uid: record.uid ?? toUid(record.createdAt, ctx.platform.randomHex(12)),
    // The claim was deleted with the task.
    status: record.status === 'active' ? 'pending' : record.status,
    depends: record.depends.filter((id) => !missing.has(id)),
    updatedAt: ctx.now > record.updatedAt ? ctx.now : record.updatedAt,
    revision: record.revision + 1,
  };
  await store.tasks.insert(restored, notes, 'restored');
  await store.deletions.restoreAttached(task);
}

/** Restores relations to tasks that still exist. */
async function restoreRelations(ctx: MutationContext, { record, relations }: DeletedTask, warnings: string[]): Promise<void> {
  const { store } = ctx;
  const missing = new Set(await store.tasks.findMissing(removeDuplicates(relations.flatMap(({ from, to }) => [from, to]))));
  const known = await store.tasks.listRelationsTouching([record.id]);
  const restored = await requireTask(store, record.id);
  for (const relation of relations) {
    const { from, to, type } = relation;
    // A relation between two deleted tasks is in both records.
    if (missing.has(from) || missing.has(to) || known.some((one) => one.from === from && one.to === to && one.type === type)) continue;
    const other = await requireTask(store, from === restored.id ? to : from);
    if (other.parentId === restored.id || restored.parentId === other.id)
      warnings.push(`${from} and ${to} are no longer related: one contains the other`);
    else await store.tasks.relate(relation, 'restored');
  }
  await checkNoCycle(store, [restored], 'depends');
}

/** Restores the dependencies of tasks that still exist, each in its former place. Those that would create a cycle are left out, with a
 *  warning. */
async function restoreDependents({ store }: MutationContext, deleted: DeletedTask[], warnings: string[]): Promise<void> {
  const edges = deleted.flatMap(({ record, dependents }) => dependents.map((dependent) => ({ ...dependent, on: record.id })));
  const missing = new Set(await store.tasks.findMissing(removeDuplicates(edges.map(({ id }) => id))));
  // The first place first: the others count from it.
  for (const { id, position, on } of edges.toSorted((a, b) => a.position - b.position)) {
    if (missing.has(id)) continue;
    const dependent = await requireTask(store, id);
    if (dependent.depends.includes(on)) continue;
    const depends = dependent.depends.toSpliced(position, 0, on);
    try {
      await checkNoCycle(store, [{ ...dependent, depends }], 'depends');
      await store.tasks.save(dependent, { ...dependent, depends }, `${on} was restored`);
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      warnings.push(`${id} does not depend on ${on} again: ${error.message}`);
    }
  }
}
