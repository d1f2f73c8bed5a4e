import { array, description, optional, pipe, regex, strictObject, string } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { parseAgo } from '#lib/ago.ts';
import { requireTask } from './shared/require.ts';

export const tasksArchive = mutation({
  name: 'tasks.archive',
  summary: 'Archive done tasks',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('Only this task and its descendants; default: the session scope'))),
    olderThan: optional(
      pipe(
        string(),
        regex(/^(\d{1,5}[mhdw]|\d{4}-\d{2}-\d{2})$/, 'must be like 30d, 12h or 2026-01-31'),
        description('Only tasks done before, e.g. 30d or 12h ago, or 2026-01-31'),
      ),
    ),
  }),
  result: strictObject({ archived: array(string()) }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION_TRANSITION'],
  tier: 0,
  cli: { command: 'archive', args: ['taskId'] },
  dryRun: true,
  example: { world: ['T001 done', 'T002'], call: {} },
  async run({ store, now, session }, { taskId, olderThan }) {
    if (taskId) {
      const task = await requireTask(store, taskId);
      if (task.status !== 'done')
        throw new CleoError('E_VALIDATION_TRANSITION', { taskId, from: task.status, to: 'archived', via: `cleo complete ${taskId}` });
    }
    // Without an id, only tasks in the scope of the session are archived.
    const ids = await store.tasks.findArchivable(olderThan && parseAgo(now, olderThan), taskId ?? session?.scope.root);
    if (ids.length === 0) return noChange({ archived: [] });
    for (const task of await store.tasks.getMany(ids)) await store.tasks.save(task, { ...task, archivedAt: now });
    return { archived: ids };
  },
});
