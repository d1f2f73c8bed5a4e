import { array, optional, strictObject } from 'valibot';
import { answer, type QueryContext, query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { TaskClaimSchema, TaskSchema } from '../model/task.ts';
import { toTaskClaim } from '../rules/claims.ts';
import { toTask } from '../rules/view.ts';
import { createClaimJudge } from './shared/claim-judge.ts';
import { requireTask } from './shared/require.ts';
import { createTaskIdParam, listTaskIds, severalAliases, TaskIdsParam } from './shared/several.ts';

export const tasksShow = query({
  name: 'tasks.show',
  summary: 'Show a task with all its fields',
  params: strictObject({ taskId: createTaskIdParam('The task'), taskIds: TaskIdsParam }),
  paramAliases: severalAliases,
  synonyms: ['get', 'view', 'read', 'describe', 'details', 'inspect', 'info', 'retrieve', 'fetch', 'cat'],
  result: strictObject({
    task: optional(TaskSchema),
    tasks: optional(array(strictObject({ ...TaskSchema.entries, claim: optional(TaskClaimSchema) }))),
    claim: optional(TaskClaimSchema),
  }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND'],
  tier: 0,
  cli: { command: 'show', args: ['taskId'], several: 'taskIds', view: async () => (await import('../view.ts')).wholeTasksView },
  example: { world: ['T001 epic', 'T002 in T001'], call: { taskId: 'T002' } },
  readAhead: ({ tasks, claims }, { taskId, taskIds }, { now }) => [
    ...(listTaskIds(taskId, taskIds) ?? [taskId!]).flatMap((id) => [
      tasks.get(id),
      tasks.getAncestry(id),
      tasks.listChildren(id),
      tasks.getNotes([id]),
      tasks.listRelations(id),
      claims.get(id),
    ]),
    claims.getLeaseTime(now),
    ...(taskId ? [tasks.listFormerHolders(taskId)] : []),
  ],
  async run(ctx, { taskId, taskIds }) {
    const ids = listTaskIds(taskId, taskIds);
    if (!ids) {
      const result = await readTask(ctx, taskId!);
      const others = await ctx.store.tasks.listFormerHolders(taskId!);
      return others.length > 0
        ? answer(result, { warnings: [`${taskId} was also the id of ${others.join(', ')}, in another clone`] })
        : result;
    }
    const tasks = [];
    for (const id of ids) {
      const { task, claim } = await readTask(ctx, id);
      tasks.push(defined({ ...task, claim }));
    }
    return { tasks };
  },
});

async function readTask(ctx: QueryContext, taskId: string) {
  const { store } = ctx;
  const task = await requireTask(store, taskId);
  const ancestry = await store.tasks.getAncestry(taskId);
  const children = await store.tasks.listChildren(taskId);
  const notes = (await store.tasks.getNotes([taskId])).get(taskId) ?? [];
  const relations = await store.tasks.listRelations(taskId);
  // Only active tasks have a claim.
  const claim = task.status === 'active' ? await store.claims.get(taskId) : undefined;
  return defined({
    task: toTask(task, { ancestry, children, notes, relations }),
    claim: claim && toTaskClaim(claim, ctx.config['claims.ttlMinutes'], (await createClaimJudge(ctx, [claim])).judge(claim)),
  });
}
