import { array, description, maxLength, minLength, optional, pipe, regex, strictObject, string } from 'valibot';
import { TaskReceipt, taskInput } from '../../model/task.ts';
import { receiptOf } from '../../rules/view.ts';
import { mutation } from '../define.ts';
import { planBatch } from './batch.ts';
import { notesOf } from './build.ts';

const Ref = pipe(
  string(),
  regex(/^[\w.:/-]{1,100}$/, 'may hold letters, digits and . _ : / - (at most 100)'),
  description('A name for this entry, for parent and depends of the others'),
);
const RefOrId = pipe(string(), minLength(1, 'must not be empty'), maxLength(100, 'must have at most 100 characters'));

const Entry = strictObject({
  ...taskInput,
  ref: optional(Ref),
  parent: optional(pipe(RefOrId, description('Ref or id'))),
  depends: optional(pipe(array(RefOrId), description('Refs or ids'))),
});

export const tasksAddBatch = mutation({
  name: 'tasks.add-batch',
  summary: 'Create many tasks, all or none',
  params: strictObject({
    tasks: pipe(
      array(Entry),
      minLength(1, 'must not be empty'),
      maxLength(10_000, 'must have at most 10,000 entries'),
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
  async run(here, { tasks }) {
    const planned = await planBatch(here, tasks);
    await here.store.tasks.insertMany(planned.map((task, i) => ({ task, notes: notesOf(here, tasks[i]?.notes) })));
    return { tasks: planned.map((task) => receiptOf(task)) };
  },
});
