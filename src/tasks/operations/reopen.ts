import { description, optional, pipe, strictObject, string } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { TaskReceiptSchema, type TaskRecord } from '../model/task.ts';
import { checkPlacement } from '../rules/hierarchy.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';
import { claimTask, releaseFocus } from './shared/task-transitions.ts';

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
    const { store, config } = ctx;
    const task = await requireTask(store, taskId);
    await checkScope(ctx, taskId);
    if (task.status !== 'done') return noChange({ task: toTaskReceipt(task) });
    const [, ...ancestry] = await store.tasks.getAncestry(taskId);
    const parent = ancestry[0];
    if (parent?.status === 'done')
      throw new CleoError('E_TASK_COMPLETED', { taskId: parent.id, act: `reopening ${taskId} inside it`, fix: `cleo reopen ${parent.id}` });
    const openSiblings = parent ? await store.tasks.countOpenChildren(parent.id) : 0;
    checkPlacement({ id: taskId, type: task.type, ancestry, openSiblings, maxSiblings: config['hierarchy.maxSiblings'], isOpen: true });
    const open = await store.tasks.listOpenDependencies(taskId);
    if (open.length > 0) throw new CleoError('E_VALIDATION_DEPENDS', { taskId, open, act: 'reopened' });
    const released = await releaseFocus(ctx);
    const { task: active } = await claimTask(ctx, await resetEvidence(ctx, task));
    return { task: toTaskReceipt(active), ...defined({ released }) };
  },
});

/** Old evidence does not cover new work. */
async function resetEvidence(ctx: MutationContext, task: TaskRecord): Promise<TaskRecord> {
  const attempts = await ctx.store.gates.listAttempts(task.id);
  return attempts.length === 0 ? task : (await import('#verification/operations/shared/verification.ts')).resetVerification(ctx, task);
}
