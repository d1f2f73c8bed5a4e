import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskId } from '#core/model/scalars.ts';
import type { DeletedTask } from '#store/port.ts';
import { TaskReceipt, type TaskRecord } from '../model/task.ts';
import { checkPlacement } from '../rules/hierarchy.ts';
import { receiptOf } from '../rules/view.ts';
import { checkParentOpen } from './shared/build.ts';
import { checkSessionsAround } from './shared/moved.ts';
import { checkOrder } from './shared/order.ts';
import { notFound, requireTask } from './shared/require.ts';
import { checkPlaceInScope } from './shared/scope.ts';

export const tasksRestore = mutation({
  name: 'tasks.restore',
  summary: 'Undo a delete',
  params: strictObject({
    taskId: pipe(TaskId, description('A deleted task')),
    cascade: optional(pipe(boolean(), description('With everything that was deleted along with it'))),
  }),
  result: strictObject({ task: TaskReceipt, restored: array(string()) }),
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
    if (present) return noChange({ task: receiptOf(present), restored: [] });
    const root = await store.tasks.lastDeleted(taskId);
    if (!root) throw await notFound(store, taskId);
    const ids = cascade ? await store.tasks.deletedWith(taskId, root.at) : [taskId];
    const warnings: string[] = [];
    const gone = await lastVersions(ctx, ids.length ? ids : [taskId]);
    for (const one of gone) await bringBack(ctx, one, gone, warnings);
    for (const one of gone) await reconnect(ctx, one, warnings);
    const [, ...above] = await store.tasks.ancestry(taskId);
    await checkSessionsAround(ctx, taskId, above);
    return answer({ task: receiptOf(await requireTask(store, taskId)), restored: gone.map((one) => one.record.id) }, { warnings });
  },
});

async function lastVersions({ store }: MutationContext, ids: string[]): Promise<DeletedTask[]> {
  const found = await Promise.all(ids.map((id) => store.tasks.lastDeleted(id)));
  return found.flatMap((one) => one ?? []);
}

/** The record under its parent; what it waited for and no longer exists is dropped, and said. */
async function bringBack(ctx: MutationContext, { record, notes }: DeletedTask, all: DeletedTask[], warnings: string[]): Promise<void> {
  const { store, config } = ctx;
  const ancestry = record.parentId ? await store.tasks.ancestry(record.parentId) : [];
  if (record.parentId && ancestry.length === 0) {
    const fix = (await store.tasks.lastDeleted(record.parentId)) ? `cleo restore ${record.parentId} --cascade` : undefined;
    throw new CleoError('E_PARENT_NOT_FOUND', { parent: record.parentId, ...(fix ? { fix } : {}) });
  }
  if (!all.some((one) => one.record.id === record.parentId)) checkPlaceInScope(ctx.session, [selfOf(record), ...ancestry], record.id);
  const isOpen = record.status !== 'done';
  const openSiblings = record.parentId ? await store.tasks.countOpenChildren(record.parentId) : 0;
  checkPlacement({ id: record.id, type: record.type, ancestry, openSiblings, maxSiblings: config['hierarchy.maxSiblings'], isOpen });
  if (isOpen) checkParentOpen(ancestry[0]);
  const returning = new Set(all.map((one) => one.record.id));
  const missing = new Set((await store.tasks.missing(record.depends)).filter((id) => !returning.has(id)));
  if (missing.size > 0) warnings.push(`${record.id} no longer depends on ${[...missing].join(', ')}, which no longer exist`);
  const restored: TaskRecord = {
    ...record,
    // Its claim is gone, so it is nobody's.
    status: record.status === 'active' ? 'pending' : record.status,
    depends: record.depends.filter((id) => !missing.has(id)),
    updatedAt: ctx.now > record.updatedAt ? ctx.now : record.updatedAt,
    revision: record.revision + 1,
  };
  await store.tasks.insert(restored, notes, 'restored');
}

const selfOf = ({ id, type, status }: TaskRecord) => ({ id, type, status });

/** Relations and the tasks that waited for it, where those still exist; and no circle may come back with them. */
async function reconnect(ctx: MutationContext, { record, relations, dependents }: DeletedTask, warnings: string[]): Promise<void> {
  const { store } = ctx;
  const gone = new Set(await store.tasks.missing([...new Set([...relations.flatMap((r) => [r.from, r.to]), ...dependents])]));
  const back = await requireTask(store, record.id);
  for (const relation of relations) {
    const { from, to } = relation;
    if (gone.has(from) || gone.has(to)) continue;
    const other = await requireTask(store, from === back.id ? to : from);
    if (other.parentId === back.id || back.parentId === other.id)
      warnings.push(`${from} and ${to} are no longer related: one contains the other`);
    else await store.tasks.relate(relation);
  }
  await checkOrder(store, [{ id: back.id, parentId: back.parentId, depends: back.depends }], 'depends');
  for (const id of dependents) {
    if (gone.has(id)) continue;
    const dependent = await requireTask(store, id);
    if (dependent.depends.includes(record.id)) continue;
    const depends = [...dependent.depends, record.id];
    try {
      await checkOrder(store, [{ id, parentId: dependent.parentId, depends }], 'depends');
      await store.tasks.save(dependent, { ...dependent, depends }, `${record.id} was restored`);
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      warnings.push(`${id} does not depend on ${record.id} again: ${error.message}`);
    }
  }
}
