import { description, pipe, strictObject } from 'valibot';
import { TaskId } from '../../model/scalars.ts';
import { Task } from '../../model/task.ts';
import { wholeTask } from '../../rules/view.ts';
import { query } from '../define.ts';
import { requireTask } from './require.ts';

export const tasksShow = query({
  name: 'tasks.show',
  summary: 'Show everything about one task',
  params: strictObject({ taskId: pipe(TaskId, description('The task')) }),
  result: strictObject({ task: Task }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: 'show', args: ['taskId'] },
  example: { world: ['T001 epic', 'T002 in T001'], call: { taskId: 'T002' } },
  async run({ store }, { taskId }) {
    const task = await requireTask(store, taskId);
    const ancestry = await store.tasks.ancestry(taskId);
    const children = await store.tasks.children(taskId);
    const notes = (await store.tasks.notes([taskId])).get(taskId) ?? [];
    return { task: wholeTask(task, { ancestry, children, notes, relations: await store.tasks.relations(taskId) }) };
  },
});
