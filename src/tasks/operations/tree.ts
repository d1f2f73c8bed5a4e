import { array, boolean, description, type GenericSchema, lazy, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, noData, query } from '#core/define.ts';
import { PrioritySchema, StatusSchema, TaskIdSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { limitParam } from '#core/page.ts';
import { groupBy } from '#lib/collections.ts';
import { toTruncation } from '#lib/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskHit } from '../model/task.ts';
import { buildTree, limitTree, type TreeNode, type TreeRow } from '../rules/tree.ts';
import { createNotFoundError } from './shared/require.ts';

const Node: GenericSchema<TreeNode> = strictObject({
  id: string(),
  title: string(),
  status: StatusSchema,
  type: TaskTypeSchema,
  priority: optional(PrioritySchema),
  progress: optional(strictObject({ done: number(), total: number(), percent: number() })),
  children: optional(array(lazy(() => Node))),
}) as GenericSchema<TreeNode>;

export const tasksTree = query({
  name: 'tasks.tree',
  summary: 'Show the hierarchy of tasks',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('Only this task and its descendants'))),
    limit: limitParam(200, 'Maximum number of tasks'),
    details: optional(pipe(boolean(), description('Add priorities, and the progress of sagas and epics'), metadata({ isRare: true }))),
  }),
  result: strictObject({ tree: array(Node) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'tree', args: ['taskId'], view: async () => (await import('../view.ts')).taskView },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T002'], call: { taskId: 'T001' } },
  async run({ store }, { taskId, limit, details = false }) {
    const tasks = await store.tasks.listForTree(taskId);
    const rows = details ? await addDetails(store, tasks) : tasks.map(({ priority: _, ...row }) => row);
    const tree = limitTree(buildTree(rows), limit);
    if (tree.length > 0) return answer({ tree }, { truncated: toTruncation(Math.min(limit, tasks.length), tasks.length) });
    if (taskId) throw await createNotFoundError(store, taskId);
    return noData({ tree });
  },
});

async function addDetails(store: ReadStore, tasks: TaskHit[]): Promise<TreeRow[]> {
  const { computeProgress } = await import('#planning/rules/progress.ts');
  const containers = tasks.filter(({ type }) => type === 'saga' || type === 'epic').map(({ id }) => id);
  const counts = groupBy(await store.tasks.countInSubtrees(containers), ({ root }) => root);
  return tasks.map((task) => {
    const own = counts.get(task.id);
    return own ? { ...task, progress: computeProgress(own) } : task;
  });
}
