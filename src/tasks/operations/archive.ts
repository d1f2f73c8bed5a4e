import { array, description, optional, pipe, regex, strictObject, string } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { parseAgo } from '#lib/ago.ts';
import { omitEmpty, removeDuplicates } from '#lib/collections.ts';
import { TaskReceiptSchema, type TaskRecord } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { requireTask } from './shared/require.ts';
import { listTaskIds, severalAliases, TaskIdsParam, Unchanged } from './shared/several.ts';

export const tasksArchive = mutation({
  name: 'tasks.archive',
  summary: 'Archive done tasks',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('Only this task and its descendants; default: the session scope'))),
    taskIds: TaskIdsParam,
    olderThan: optional(
      pipe(
        string(),
        regex(/^(\d{1,5}[mhdw]|\d{4}-\d{2}-\d{2})$/, 'must be like 30d, 12h or 2026-01-31'),
        description('Only tasks done before, e.g. 30d or 12h ago, or 2026-01-31'),
      ),
    ),
  }),
  paramAliases: severalAliases,
  result: strictObject({ archived: array(string()), tasks: optional(array(TaskReceiptSchema)), unchanged: Unchanged }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION_TRANSITION'],
  tier: 0,
  cli: { command: 'archive', args: ['taskId'], several: 'taskIds' },
  dryRun: true,
  example: { world: ['T001 done', 'T002'], call: {} },
  async run({ store, now, session }, { taskId, taskIds, olderThan }) {
    const several = listTaskIds(taskId, taskIds);
    const roots = several ?? (taskId ? [taskId] : []);
    for (const id of roots) {
      const { status } = await requireTask(store, id);
      if (status !== 'done')
        throw new CleoError('E_VALIDATION_TRANSITION', { taskId: id, from: status, to: 'archived', via: `cleo complete ${id}` });
    }
    const doneBefore = olderThan && parseAgo(now, olderThan);
    const found: TaskId[] = [];
    // Without an id, only tasks in the scope of the session are archived.
    for (const root of roots.length > 0 ? roots : [session?.scope.root])
      found.push(...(await store.tasks.findArchivable(doneBefore, root)));
    const archived = removeDuplicates(found);
    const saved: TaskRecord[] = [];
    for (const task of await store.tasks.getMany(archived)) saved.push(await store.tasks.save(task, { ...task, archivedAt: now }));
    const result = {
      archived,
      ...(several
        ? {
            tasks: saved.filter(({ id }) => several.includes(id)).map((task) => toTaskReceipt(task, ['archivedAt'])),
            ...omitEmpty({ unchanged: several.filter((id) => !archived.includes(id)) }),
          }
        : {}),
    };
    return archived.length === 0 ? noChange(result) : result;
  },
});
