import { optional, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { defined } from '#lib/defined.ts';
import { TaskClaimSchema, TaskSchema } from '../model/task.ts';
import { toTaskClaim } from '../rules/claims.ts';
import { toTask } from '../rules/view.ts';
import { createClaimJudge } from './shared/claim-judge.ts';
import { TaskParam } from './shared/params.ts';
import { requireTask } from './shared/require.ts';

export const tasksShow = query({
  name: 'tasks.show',
  summary: 'Show a task with all its fields',
  params: strictObject({ taskId: TaskParam }),
  synonyms: ['get', 'view', 'read'],
  result: strictObject({ task: TaskSchema, claim: optional(TaskClaimSchema) }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: 'show', args: ['taskId'] },
  example: { world: ['T001 epic', 'T002 in T001'], call: { taskId: 'T002' } },
  async run(ctx, { taskId }) {
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
  },
});
