import { array, description, type GenericSchema, lazy, optional, pipe, strictObject, string } from 'valibot';
import { answer, noData, query } from '#core/define.ts';
import { StatusSchema, TaskIdSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { limitParam } from '#core/page.ts';
import { toTruncation } from '#lib/page.ts';
import { buildTree, limitTree, type TreeNode } from '../rules/tree.ts';
import { createNotFoundError } from './shared/require.ts';

const Node: GenericSchema<TreeNode> = strictObject({
  id: string(),
  title: string(),
  status: StatusSchema,
  type: TaskTypeSchema,
  children: optional(array(lazy(() => Node))),
}) as GenericSchema<TreeNode>;

export const tasksTree = query({
  name: 'tasks.tree',
  summary: 'Show the hierarchy of tasks',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('Only this task and its descendants'))),
    limit: limitParam(200, 'Maximum number of tasks'),
  }),
  result: strictObject({ tree: array(Node) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'tree', args: ['taskId'], view: async () => (await import('../view.ts')).taskView },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T002'], call: { taskId: 'T001' } },
  async run({ store }, { taskId, limit }) {
    const tasks = await store.tasks.listForTree(taskId);
    const tree = limitTree(buildTree(tasks), limit);
    if (tree.length > 0) return answer({ tree }, { truncated: toTruncation(Math.min(limit, tasks.length), tasks.length) });
    if (taskId) throw await createNotFoundError(store, taskId);
    return noData({ tree });
  },
});
