import { array, description, optional, pipe, strictObject, string, unknown } from 'valibot';
import { query } from '#core/define.ts';
import { TaskId } from '#core/model/scalars.ts';
import { paged, pageParams } from '#core/page.ts';
import { Timestamp } from '../model/task.ts';
import { shownChange } from '../rules/history.ts';
import { notFound } from './shared/require.ts';

const Change = strictObject({
  at: Timestamp,
  by: string(),
  field: string(),
  old: optional(unknown()),
  new: optional(unknown()),
  reason: optional(string()),
});

export const tasksHistory = query({
  name: 'tasks.history',
  summary: 'Show every change of a task, also of a deleted one: when, who, which field, from what to what',
  params: strictObject({ taskId: pipe(TaskId, description('The task, deleted or not')), ...pageParams(50) }),
  result: strictObject({ history: array(Change) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'history', args: ['taskId'] },
  example: { world: ['T001'], call: { taskId: 'T001' } },
  async run({ store }, { taskId, ...page }) {
    const changes = await store.tasks.history(taskId, page);
    // Whatever exists or ever did has at least the change that made it.
    if (changes.length === 0 && (await store.tasks.countHistory(taskId, 1)) === 0) throw await notFound(store, taskId);
    const history = changes.map((change) => shownChange(taskId, change));
    return paged({ history }, history.length, page, (atMost) => store.tasks.countHistory(taskId, atMost));
  },
});
