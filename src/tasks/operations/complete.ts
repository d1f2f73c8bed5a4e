import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, mutation, noChange } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { StageReadySchema, TaskReceiptSchema, Timestamp } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { findReadyStage } from './shared/ready-stage.ts';
import { completeTask, requireTaskOrFocus } from './shared/task-transitions.ts';

export const tasksComplete = mutation({
  name: 'tasks.complete',
  aliases: ['tasks.done'],
  summary: 'Mark a task done',
  params: strictObject({ taskId: optional(pipe(TaskIdSchema, description('The task; default: the focused one'))) }),
  synonyms: ['close', 'finish', 'resolve'],
  result: strictObject({
    completedAt: Timestamp,
    task: TaskReceiptSchema,
    unblocked: optional(array(string())),
    parentReady: optional(string()),
    /** The active stage of the epic whose last open task this was, and the command that completes it. */
    stageReady: optional(StageReadySchema),
  }),
  errors: [
    'E_NOT_FOUND',
    'E_VALIDATION_TRANSITION',
    'E_VALIDATION_DEPENDS',
    'E_VALIDATION_ACCEPTANCE',
    'E_HAS_CHILDREN',
    'E_TASK_CLAIMED',
    'E_FOCUS_REQUIRED',
    'E_GATE_DEPENDENCY',
    'E_EVIDENCE_STALE',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 0,
  cli: { command: ['complete', 'done'], args: ['taskId'] },
  example: { world: ['T001', 'T002 depends T001'], call: { taskId: 'T001' } },
  async run(ctx, { taskId }) {
    const task = await requireTaskOrFocus(ctx, taskId, 'complete');
    if (task.status === 'done') return noChange({ completedAt: task.completedAt ?? task.updatedAt, task: toTaskReceipt(task) });
    const { task: done, unblocked, parentReady, warnings } = await completeTask(ctx, task);
    const stageReady = await findReadyStage(ctx, done.id);
    return answer(
      {
        completedAt: done.completedAt!,
        task: toTaskReceipt(done),
        ...defined({ unblocked: unblocked.length > 0 ? unblocked : undefined, parentReady, stageReady }),
      },
      { warnings },
    );
  },
});
