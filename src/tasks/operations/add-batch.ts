import { array, description, maxLength, minLength, pipe, strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { mostEntries, NewEntry } from '../model/new-entry.ts';
import { TaskReceipt } from '../model/task.ts';
import { receiptOf } from '../rules/view.ts';
import { planBatch } from './shared/batch.ts';
import { notesOf } from './shared/build.ts';

export const tasksAddBatch = mutation({
  name: 'tasks.add-batch',
  summary: 'Create many tasks, all or none',
  params: strictObject({
    tasks: pipe(
      array(NewEntry),
      minLength(1, 'must not be empty'),
      maxLength(mostEntries, `must have at most ${mostEntries} entries`),
      description('The tasks; they name each other by ref'),
    ),
  }),
  result: strictObject({ tasks: array(TaskReceipt) }),
  errors: [
    'E_PARENT_NOT_FOUND',
    'E_DEPTH_EXCEEDED',
    'E_SIBLING_LIMIT',
    'E_INVALID_PARENT_TYPE',
    'E_CIRCULAR_REFERENCE',
    'E_NOT_FOUND',
    'E_ID_COLLISION',
    'E_TASK_COMPLETED',
  ],
  tier: 1,
  cli: { command: 'add-batch', read: { tasks: { flag: 'file', as: 'json' } } },
  dryRun: true,
  example: {
    world: ['T001 epic'],
    call: {
      tasks: [
        { ref: 'parse', title: 'Write the parser', parent: 'T001' },
        { title: 'Test the parser', parent: 'T001', depends: ['parse'] },
      ],
    },
  },
  async run(ctx, { tasks }) {
    const planned = await planBatch(ctx, tasks);
    await ctx.store.tasks.insertMany(planned.map((task, i) => ({ task, notes: notesOf(ctx, tasks[i]?.notes) })));
    return { tasks: planned.map((task) => receiptOf(task)) };
  },
});
