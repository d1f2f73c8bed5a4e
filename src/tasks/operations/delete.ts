import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskId } from '#core/model/scalars.ts';
import { holderOf, isHolder } from '../rules/claims.ts';
import { checkHolder } from './shared/moves.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';

export const tasksDelete = mutation({
  name: 'tasks.delete',
  summary: 'Delete a task; restore brings it back',
  params: strictObject({
    taskId: pipe(TaskId, description('The task')),
    cascade: optional(pipe(boolean(), description('With everything below it'))),
    orphan: optional(pipe(boolean(), description('Take it out of the depends of other tasks'))),
  }),
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
  cli: { command: 'delete', args: ['taskId'] },
  dryRun: true,
  example: { world: ['T001', 'T002 in T001'], call: { taskId: 'T001', cascade: true } },
  async run(ctx, { taskId, cascade, orphan }) {
    const { store } = ctx;
    const task = await requireTask(store, taskId);
    if (task.status === 'done') throw new CleoError('E_TASK_COMPLETED', { taskId, act: 'deleting it', fix: `cleo archive ${taskId}` });
    await checkScope(ctx, taskId);
    await checkHolder(ctx, taskId);
    const below = (await store.tasks.descendants(taskId)).map((kin) => kin.id);
    if (below.length > 0 && !cascade) throw new CleoError('E_HAS_CHILDREN', { taskId, children: below, act: 'delete' });
    await checkUnheld(ctx, taskId, below);
    const gone = [taskId, ...below];
    const cut = (await store.tasks.dependentIds(gone)).filter((edge) => !gone.includes(edge.to));
    const dependents = [...new Set(cut.map((edge) => edge.to))].sort();
    if (dependents.length > 0 && !orphan)
      throw new CleoError('E_HAS_DEPENDENTS', { taskId, dependents, retry: ctx.commandWith({ orphan: true }) });
    for (const id of dependents) {
      const dependent = await requireTask(store, id);
      await store.tasks.save(
        dependent,
        { ...dependent, depends: dependent.depends.filter((on) => !gone.includes(on)) },
        `${taskId} was deleted`,
      );
    }
    // Deepest first, so that no child is without its parent for a moment.
    for (const id of [...gone].reverse())
      await store.tasks.remove(
        id,
        taskId,
        cut.filter((edge) => edge.from === id).map((edge) => edge.to),
      );
    return { deleted: gone, ...(dependents.length ? { cut: dependents } : {}) };
  },
});

async function checkUnheld({ store, caller }: MutationContext, taskId: string, below: string[]): Promise<void> {
  const claim = (await store.claims.among(below)).find((held) => !isHolder(held, caller));
  if (claim) throw new CleoError('E_CASCADE_FAILED', { taskId, held: claim.taskId, holder: holderOf(claim) });
}
