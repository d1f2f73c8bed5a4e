import { description, pipe, strictObject, string } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { TaskId } from '#core/model/scalars.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { DependResult, endOf, farIdOf, follow, taskReceipt } from './shared/depends.ts';

export const nexusDepsRemove = mutation({
  name: 'nexus.deps.remove',
  summary: 'Let a task no longer wait for a task of another project',
  params: strictObject({
    taskId: pipe(TaskId, description('The task that waits')),
    on: pipe(string(), description('What it waits for, e.g. web:T003')),
  }),
  result: DependResult,
  errors: ['E_NEXUS_INVALID_SYNTAX', 'E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE'],
  tier: 2,
  cli: { command: 'nexus deps remove', args: ['taskId', 'on'] },
  example: { world: ['T001'], call: { taskId: 'T001', on: 'web:T003' }, exit: 102 },
  // Neither the registry nor the other project is asked: it may be gone, which is a reason to remove this.
  async run(ctx, { taskId, on }) {
    const { store } = ctx;
    const far = farIdOf(ctx, 'on', on);
    const task = await requireTask(store, taskId);
    await checkScope(ctx, taskId);
    const before = await store.nexus.of(taskId);
    const gone = before.find(({ project, farId }) => project === far.project && farId === far.id);
    if (!gone) return noChange({ task: taskReceipt(task), on: far });
    await store.nexus.remove(gone);
    const after = before.filter((each) => each !== gone);
    return { task: taskReceipt((await follow(store, task, before, after)).task), on: endOf(gone) };
  },
});
