import '../errors.ts';
import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { toTaskNumber } from '#core/model/scalars.ts';
import { formatHolder } from '../rules/claims.ts';
import { hasBoundCriteria } from '../rules/criteria.ts';
import { TaskParam } from './shared/params.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';
import { checkHolder, findForeignClaim } from './shared/task-transitions.ts';

export const tasksDelete = mutation({
  name: 'tasks.delete',
  summary: 'Delete a task; restore undoes it',
  params: strictObject({
    taskId: TaskParam,
    cascade: optional(pipe(boolean(), description('Delete its descendants too'))),
    orphan: optional(pipe(boolean(), description('Remove it from the dependencies of other tasks'))),
  }),
  synonyms: ['rm', 'remove'],
  result: strictObject({ deleted: array(string()), cut: optional(array(string())) }),
  errors: [
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
  cli: { command: 'delete', args: ['taskId'] },
  dryRun: true,
  example: { world: ['T001', 'T002 in T001'], call: { taskId: 'T001', cascade: true } },
  async run(ctx, { taskId, cascade, orphan }) {
    const { store } = ctx;
    const task = await requireTask(store, taskId);
    if (task.status === 'done') throw new CleoError('E_TASK_COMPLETED', { taskId, act: 'deleting it', fix: `cleo archive ${taskId}` });
    await checkScope(ctx, taskId);
    await checkHolder(ctx, taskId);
    const descendants = (await store.tasks.listDescendants(taskId)).map(({ id }) => id);
    if (descendants.length > 0 && !cascade) throw new CleoError('E_HAS_CHILDREN', { taskId, children: descendants, act: 'delete' });
    const held = await findForeignClaim(ctx, await store.claims.listForTasks(descendants));
    if (held) throw new CleoError('E_CASCADE_FAILED', { taskId, held: held.taskId, holder: formatHolder(held) });
    const deleted = [taskId, ...descendants];
    const bound = [task, ...(await store.tasks.getMany(descendants))].find(hasBoundCriteria);
    if (bound) ctx.requireScope('decide', { subject: taskId, action: `Deleting ${bound.id}, whose criteria are bound to evidence,` });
    const edges = (await store.tasks.listDependentIds(deleted)).filter((edge) => !deleted.includes(edge.to));
    const dependents = [...new Set(edges.map((edge) => edge.to))].sort((a, b) => toTaskNumber(a) - toTaskNumber(b));
    if (dependents.length > 0 && !orphan)
      throw new CleoError('E_HAS_DEPENDENTS', { taskId, dependents, retry: ctx.commandWith({ orphan: true }) });
    for (const id of dependents) {
      const dependent = await requireTask(store, id);
      await store.tasks.save(
        dependent,
        { ...dependent, depends: dependent.depends.filter((on) => !deleted.includes(on)) },
        `${taskId} was deleted`,
      );
    }
    // Children first, so that none is without its parent.
    for (const id of [...deleted].reverse())
      await store.tasks.remove(
        id,
        taskId,
        edges.filter((edge) => edge.from === id).map((edge) => edge.to),
      );
    return { deleted, ...(dependents.length > 0 ? { cut: dependents } : {}) };
  },
});
