import { array, description, maxLength, minLength, pipe, strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { largeArray } from '#core/model/large-array.ts';
import { maxEntries, NewEntrySchema } from '../model/new-entry.ts';
import { type Note, TaskReceiptSchema } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { planBatch } from './shared/batch.ts';
import { createNotes } from './shared/create-task.ts';

export const tasksAddBatch = mutation({
  name: 'tasks.add-batch',
  summary: 'Create several tasks at once, all or none',
  params: strictObject({
    tasks: pipe(
      largeArray(NewEntrySchema),
      minLength(1, 'must not be empty'),
      maxLength(maxEntries, `must have at most ${maxEntries} entries`),
      description('Tasks; they can refer to each other by ref'),
    ),
  }),
  synonyms: ['bulk-add', 'bulk-create', 'batch-add', 'batch-create', 'create-batch', 'add-many', 'create-many', 'bulk'],
  result: strictObject({ tasks: array(TaskReceiptSchema) }),
  errors: [
    'E_PARENT_NOT_FOUND',
    'E_DEPTH_EXCEEDED',
    'E_SIBLING_LIMIT',
    'E_INVALID_PARENT_TYPE',
    'E_CIRCULAR_REFERENCE',
    'E_NOT_FOUND',
    'E_ID_COLLISION',
    'E_TASK_COMPLETED',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 1,
  maxBodyBytes: 32 << 20,
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
    // Tasks without notes share one list: a thousand empty lists would take memory.
    const noNotes: Note[] = [];
    await ctx.store.tasks.insertMany(
      planned.map((task, i) => ({ task, notes: tasks[i]?.notes ? createNotes(ctx, tasks[i].notes) : noNotes })),
    );
    return { tasks: planned.map((task) => toTaskReceipt(task)) };
  },
});
