import { description, optional, pipe, strictObject, string } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { TaskReceiptSchema } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { checkPosition } from './shared/create-task.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';
import { checkDependsDone, claimTask, releaseFocus } from './shared/task-transitions.ts';

export const tasksReopen = mutation({
  name: 'tasks.reopen',
  summary: 'Reopen a done task and make it your focus',
  params: strictObject({ taskId: pipe(TaskIdSchema, description('A done task')) }),
  result: strictObject({ task: TaskReceiptSchema, released: optional(string()) }),
  errors: ['E_NOT_FOUND', 'E_TASK_COMPLETED', 'E_VALIDATION_DEPENDS', 'E_SIBLING_LIMIT', 'E_TASK_NOT_IN_SCOPE'],
  tier: 1,
  cli: { command: 'reopen', args: ['taskId'] },
  example: { world: ['T001 done'], call: { taskId: 'T001' } },
  async run(ctx, { taskId }) {
    const { store } = ctx;
    const task = await requireTask(store, taskId);
    await checkScope(ctx, taskId);
    if (task.status !== 'done') return noChange({ task: toTaskReceipt(task) });
    const [, ...ancestry] = await store.tasks.getAncestry(taskId);
    const parent = ancestry[0];
    if (parent?.status === 'done')
      throw new CleoError('E_TASK_COMPLETED', { taskId: parent.id, act: `reopening ${taskId} inside it`, fix: `cleo reopen ${parent.id}` });
    await checkPosition(ctx, { ...task, status: 'pending' }, ancestry);
    await checkDependsDone(store, taskId, 'reopened');
    const released = await releaseFocus(ctx);
    // Old evidence does not cover new work.
    const hasEvidence = (await store.gates.listAttempts(taskId)).length > 0;
    const reset = hasEvidence ? await (await import('#verification/operations/shared/verification.ts')).resetVerification(ctx, task) : task;
    const { task: active } = await claimTask(ctx, reset);
    return { task: toTaskReceipt(active), ...defined({ released }) };
  },
});
