import { boolean, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { TaskParam } from './shared/params.ts';

export const tasksExists = query({
  name: 'tasks.exists',
  summary: 'Check whether a task exists',
  params: strictObject({ taskId: TaskParam }),
  result: strictObject({ exists: boolean() }),
  errors: [],
  tier: 0,
  cli: { command: 'exists', args: ['taskId'], search: { command: 'find', params: [] } },
  example: { world: ['T001'], call: { taskId: 'T001' } },
  readAhead: ({ tasks }, { taskId }) => [tasks.exists(taskId)],
  async run({ store }, { taskId }) {
    return (await store.tasks.exists(taskId)) ? { exists: true } : noData({ exists: false });
  },
});
