import { array, description, optional, pipe, strictObject, string, unknown } from 'valibot';
import { query } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { Timestamp } from '../model/task.ts';
import { toHistoryEntry } from '../rules/history.ts';
import { createNotFoundError } from './shared/require.ts';

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
  summary: 'Show all changes of a task, deleted or not',
  params: strictObject({ taskId: pipe(TaskIdSchema, description('The task, deleted or not')), ...pageParams(50) }),
  result: strictObject({ history: array(Change) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'history', args: ['taskId'] },
  example: { world: ['T001'], call: { taskId: 'T001' } },
  async run({ store }, { taskId, ...page }) {
    const changes = await store.tasks.listHistory(taskId, page);
    // Every task that ever existed has at least the entry of its creation.
    if (changes.length === 0 && (await store.tasks.countHistory(taskId, 1)) === 0) throw await createNotFoundError(store, taskId);
    const history = changes.map((change) => toHistoryEntry(taskId, change));
    return answerPage({ history }, history.length, page, (atMost) => store.tasks.countHistory(taskId, atMost));
  },
});
