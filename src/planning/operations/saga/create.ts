import { strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { TaskReceiptSchema } from '#tasks/model/task.ts';
import { taskInput } from '#tasks/model/task-fields.ts';
import { createNotes, createTask } from '#tasks/operations/shared/create-task.ts';
import { toTaskReceipt } from '#tasks/rules/view.ts';

const { title, description, priority, labels, phase, acceptance, acceptEvidence, notes } = taskInput;

export const sagaCreate = mutation({
  name: 'saga.create',
  summary: 'Create a saga: a theme that groups epics',
  params: strictObject({ title, description, priority, labels, phase, acceptance, acceptEvidence, notes }),
  result: strictObject({ task: TaskReceiptSchema }),
  errors: [],
  tier: 1,
  cli: { command: 'saga create', args: ['title'], short: { d: 'description' } },
  dryRun: true,
  example: { call: { title: 'Recipes in any language', acceptance: ['Three languages are read', 'None is special'] } },
  // No scope check: a saga is at the top level, so sessions of any scope may create one.
  async run({ store, ...ctx }, params) {
    const task = createTask(ctx, await store.tasks.nextId(), { ...params, type: 'saga' }, undefined);
    await store.tasks.insert(task, createNotes(ctx, params.notes));
    return { task: toTaskReceipt(task, ['priority', 'acceptance']) };
  },
});
