import { mutation, noChange } from '#core/define.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import {
  DependParams,
  DependResult,
  requireRemoteId,
  toRemoteTaskRef,
  toWaitingTaskReceipt,
  updateWaitState,
} from './shared/remote-dependency.ts';

export const nexusDepsRemove = mutation({
  name: 'nexus.deps.remove',
  summary: 'Remove a dependency on a task of another project',
  params: DependParams,
  result: DependResult,
  errors: ['E_NEXUS_INVALID_SYNTAX', 'E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE'],
  tier: 2,
  cli: { command: 'nexus deps remove', args: ['taskId', 'on'], view: async () => (await import('../view.ts')).nexusView },
  example: { world: ['T001'], call: { taskId: 'T001', on: 'web:T003' }, exit: 102 },
  // Reads neither the registry nor the other project, because a missing project is a reason to remove the dependency.
  async run(ctx, { taskId, on }) {
    const { store } = ctx;
    const remote = requireRemoteId(ctx, 'on', on);
    const task = await requireTask(store, taskId);
    await checkScope(ctx, taskId);
    const before = await store.nexus.listForTask(taskId);
    const removed = before.find(({ project, remoteId }) => project === remote.project && remoteId === remote.id);
    if (!removed) return noChange({ task: toWaitingTaskReceipt(task), on: remote });
    await store.nexus.remove(removed);
    const after = before.filter((each) => each !== removed);
    return { task: toWaitingTaskReceipt((await updateWaitState(store, task, before, after)).task), on: toRemoteTaskRef(removed) };
  },
});
