import { array, boolean, description, optional, pipe, strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { AcceptanceSchema, TaskReceiptSchema } from '../model/task.ts';
import { toAcceptance, toTaskReceipt } from '../rules/view.ts';
import { TaskParam } from './shared/params.ts';
import { requireTask } from './shared/require.ts';
import { checkScope } from './shared/scope.ts';

export const tasksCriteriaCheck = mutation({
  name: 'tasks.criteria.check',
  summary: 'Mark an acceptance criterion as met',
  params: strictObject({
    taskId: TaskParam,
    n: pipe(wholeNumber({ min: 1 }), description('Number of the criterion as show prints it, from 1')),
    undo: optional(pipe(boolean(), description('Mark it as not met'))),
  }),
  result: strictObject({ task: TaskReceiptSchema, acceptance: array(AcceptanceSchema) }),
  errors: ['E_NOT_FOUND', 'E_TASK_COMPLETED', 'E_TASK_NOT_IN_SCOPE'],
  tier: 1,
  cli: { command: 'criteria check', args: ['taskId', 'n'] },
  example: { world: ['T001 accept parses|rejects'], call: { taskId: 'T001', n: 2 } },
  async run(ctx, { taskId, n, undo }) {
    const { store, now, caller } = ctx;
    const task = await requireTask(store, taskId);
    await checkScope(ctx, taskId);
    const criterion = task.acceptance[n - 1];
    if (!criterion) throw new CleoError('E_NOT_FOUND', { what: `criterion ${n} of`, id: taskId, prefix: taskId.slice(1) });
    if (criterion.kind !== 'text')
      throw new CleoError('E_VALIDATION', {
        field: 'criterion',
        problem: `${n} is bound to evidence for ${criterion.gate}; only text criteria can be marked`,
        fix: `cleo show ${taskId}`,
      });
    if (task.status === 'done')
      throw new CleoError('E_TASK_COMPLETED', { taskId, act: 'changing its criteria', fix: `cleo reopen ${taskId}` });
    const { metAt: _, metBy: __, ...plain } = criterion;
    const ticked = undo ? plain : criterion.metAt ? criterion : { ...criterion, metAt: now, metBy: caller.agent };
    const acceptance = task.acceptance.with(n - 1, ticked);
    const saved = await store.tasks.save(task, { ...task, acceptance });
    const result = { task: toTaskReceipt(saved), acceptance: acceptance.map(toAcceptance) };
    return saved === task ? noChange(result) : result;
  },
});
