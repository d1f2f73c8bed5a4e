import { strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { TaskReceipt, taskInput } from '#tasks/model/task.ts';
import { newTask, notesOf } from '#tasks/operations/shared/build.ts';
import { receiptOf } from '#tasks/rules/view.ts';

const { title, description, priority, labels, phase, acceptance, acceptEvidence, notes } = taskInput;

export const sagaCreate = mutation({
  name: 'saga.create',
  summary: 'Create a saga: a theme that groups epics',
  params: strictObject({ title, description, priority, labels, phase, acceptance, acceptEvidence, notes }),
  result: strictObject({ task: TaskReceipt }),
  errors: [],
  tier: 1,
  cli: { command: 'saga create', args: ['title'], short: { d: 'description' } },
  dryRun: true,
  example: { call: { title: 'Recipes in any language', acceptance: ['Three languages are read', 'None is special'] } },
  // It stands at the top, above every scope, and is in nobody's way: sessions of any scope may create one.
  async run({ store, ...ctx }, given) {
    const task = newTask(ctx, await store.tasks.nextId(), { ...given, type: 'saga' }, undefined);
    await store.tasks.insert(task, notesOf(ctx, given.notes));
    return { task: receiptOf(task, ['priority', 'acceptance']) };
  },
});
