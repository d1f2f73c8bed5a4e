import '../errors.ts';
import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { removeDuplicates } from '#lib/collections.ts';
import { TaskReceiptSchema, type TaskRecord } from '../model/task.ts';
import { formatHolder } from '../rules/claims.ts';
import { hasBoundCriteria } from '../rules/criteria.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { listDependentsByTask } from './shared/dependents.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';
import { createTaskIdParam, listTaskIds, severalAliases, TaskIdsParam } from './shared/several.ts';
import { sortByDepth } from './shared/several-order.ts';
import { checkHolder, findForeignClaim } from './shared/task-transitions.ts';

export const tasksDelete = mutation({
  name: 'tasks.delete',
  summary: 'Delete a task; restore undoes it',
  params: strictObject({
    taskId: createTaskIdParam('The task'),
    taskIds: TaskIdsParam,
    cascade: optional(pipe(boolean(), description('Delete its descendants too'))),
    orphan: optional(pipe(boolean(), description('Remove it from the dependencies of other tasks'))),
  }),
  paramAliases: severalAliases,
  synonyms: ['rm', 'remove'],
  result: strictObject({ deleted: array(string()), tasks: optional(array(TaskReceiptSchema)), cut: optional(array(string())) }),
  errors: [
    'E_INVALID_INPUT',
    'E_NOT_FOUND',
    'E_HAS_CHILDREN',
    'E_HAS_DEPENDENTS',
    'E_TASK_COMPLETED',
    'E_CASCADE_FAILED',
    'E_TASK_CLAIMED',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 1,
  scope: { scope: 'decide', when: 'if the task, or one below it, has criteria that are bound to evidence' },
  cli: { command: 'delete', args: ['taskId'], several: 'taskIds' },
  dryRun: true,
  example: { world: ['T001', 'T002 in T001'], call: { taskId: 'T001', cascade: true } },
  async run(ctx, { taskId, taskIds, cascade = false, orphan = false }) {
    const several = listTaskIds(taskId, taskIds);
    const ids = several ?? [taskId!];
    const tasks = [];
    for (const id of ids) tasks.push(await requireTask(ctx.store, id));
    const { deleted, cut } = await deleteTasks(ctx, tasks, { cascade, orphan });
    return {
      deleted,
      ...(several ? { tasks: tasks.map((task) => toTaskReceipt(task)) } : {}),
      ...(cut.length > 0 ? { cut } : {}),
    };
  },
});

/** Deletes these tasks and, with `cascade`, everything inside them. */
async function deleteTasks(ctx: MutationContext, tasks: TaskRecord[], { cascade, orphan }: { cascade: boolean; orphan: boolean }) {
  const { store } = ctx;
  const given = new Set(tasks.map(({ id }) => id));
  /** Each deleted task with the given task that it is deleted with. */
  const rootOf = new Map<TaskId, TaskId>();
  for (const { id: taskId, status } of tasks) {
    if (status === 'done') throw new CleoError('E_TASK_COMPLETED', { taskId, act: 'deleting it', fix: `cleo archive ${taskId}` });
    await checkScope(ctx, taskId);
    await checkHolder(ctx, taskId);
    const descendants = (await store.tasks.listDescendants(taskId)).map(({ id }) => id);
    const inside = descendants.filter((id) => !given.has(id));
    if (inside.length > 0 && !cascade) throw new CleoError('E_HAS_CHILDREN', { taskId, children: inside, act: 'delete' });
    const held = await findForeignClaim(ctx, await store.claims.listForTasks(descendants));
    if (held) throw new CleoError('E_CASCADE_FAILED', { taskId, held: held.taskId, holder: formatHolder(held) });
    for (const id of [taskId, ...descendants]) {
      const root = rootOf.get(id);
      // The outermost of the given tasks is the root.
      if (root === undefined || descendants.includes(root)) rootOf.set(id, taskId);
    }
  }
  const deleted = [...rootOf.keys()];
  const bound = (await store.tasks.getMany(deleted)).find(hasBoundCriteria);
  if (bound)
    ctx.requireScope('decide', { subject: rootOf.get(bound.id)!, action: `Deleting ${bound.id}, whose criteria are bound to evidence,` });
  const dependents = await listDependentsByTask(store, deleted);
  const outside = [...dependents.values()].flat().filter(({ id }) => !rootOf.has(id));
  const cut = removeDuplicates(outside.map(({ id }) => id)).sort((a, b) => toTaskNumber(a) - toTaskNumber(b));
  if (cut.length > 0 && !orphan)
    throw new CleoError('E_HAS_DEPENDENTS', { taskId: tasks[0]!.id, dependents: cut, retry: ctx.commandWith({ orphan: true }) });
  for (const id of cut) {
    const dependent = await requireTask(store, id);
    const depends = dependent.depends.filter((on) => !rootOf.has(on));
    const gone = dependent.depends.filter((on) => rootOf.has(on)).map((on) => rootOf.get(on)!);
    await store.tasks.save(dependent, { ...dependent, depends }, `${removeDuplicates(gone).join(', ')} was deleted`);
  }
  // Children first, so that none is without its parent.
  const ordered = await sortByDepth(store, deleted.toReversed(), 'children first');
  await store.deletions.removeMany(ordered.map((id) => ({ id, root: rootOf.get(id)!, dependents: dependents.get(id) ?? [] })));
  return { deleted, cut };
}
