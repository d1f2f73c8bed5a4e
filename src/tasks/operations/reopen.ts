import { description, optional, pipe, strictObject, string } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskId } from '#core/model/scalars.ts';
import { TaskReceipt, type TaskRecord } from '../model/task.ts';
import { checkPlacement } from '../rules/hierarchy.ts';
import { receiptOf } from '../rules/view.ts';
import { claimTask, releaseFocus } from './shared/moves.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';

export const tasksReopen = mutation({
  name: 'tasks.reopen',
  summary: 'Take a done task up again: active, and your focus',
  params: strictObject({ taskId: pipe(TaskId, description('A done task')) }),
  result: strictObject({ task: TaskReceipt, released: optional(string()) }),
  errors: ['E_NOT_FOUND', 'E_TASK_COMPLETED', 'E_VALIDATION_DEPENDS', 'E_SIBLING_LIMIT', 'E_TASK_NOT_IN_SCOPE'],
  tier: 1,
  cli: { command: 'reopen', args: ['taskId'] },
  example: { world: ['T001 done'], call: { taskId: 'T001' } },
  async run(ctx, { taskId }) {
    const { store, config } = ctx;
    const task = await requireTask(store, taskId);
    await checkScope(ctx, taskId);
    if (task.status !== 'done') return noChange({ task: receiptOf(task) });
    const [, ...ancestry] = await store.tasks.ancestry(taskId);
    const parent = ancestry[0];
    if (parent?.status === 'done')
      throw new CleoError('E_TASK_COMPLETED', { taskId: parent.id, act: `reopening ${taskId} inside it`, fix: `cleo reopen ${parent.id}` });
    const openSiblings = parent ? await store.tasks.countOpenChildren(parent.id) : 0;
    checkPlacement({ id: taskId, type: task.type, ancestry, openSiblings, maxSiblings: config['hierarchy.maxSiblings'], isOpen: true });
    const open = await store.tasks.openDepends(taskId);
    if (open.length > 0) throw new CleoError('E_VALIDATION_DEPENDS', { taskId, open, act: 'reopened' });
    const released = await releaseFocus(ctx);
    const { task: active } = await claimTask(ctx, await beginAnew(ctx, task));
    return { task: receiptOf(active), ...(released ? { released } : {}) };
  },
});

/** What was shown of the work before does not show what is done from now on. */
async function beginAnew(ctx: MutationContext, task: TaskRecord): Promise<TaskRecord> {
  const attempts = await ctx.store.gates.of(task.id);
  return attempts.length === 0 ? task : (await import('#verification/operations/shared/reopen.ts')).beginAnew(ctx, task, attempts);
}
