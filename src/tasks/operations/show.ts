import { description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { TaskId } from '#core/model/scalars.ts';
import { Task, TaskClaim } from '../model/task.ts';
import { claimView } from '../rules/claims.ts';
import { wholeTask } from '../rules/view.ts';
import { requireTask } from './shared/require.ts';

export const tasksShow = query({
  name: 'tasks.show',
  summary: 'Show everything about one task',
  params: strictObject({ taskId: pipe(TaskId, description('The task')) }),
  result: strictObject({ task: Task, claim: optional(TaskClaim) }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: 'show', args: ['taskId'] },
  example: { world: ['T001 epic', 'T002 in T001'], call: { taskId: 'T002' } },
  async run(ctx, { taskId }) {
    const { store } = ctx;
    const task = await requireTask(store, taskId);
    const ancestry = await store.tasks.ancestry(taskId);
    const children = await store.tasks.children(taskId);
    const notes = (await store.tasks.notes([taskId])).get(taskId) ?? [];
    const relations = await store.tasks.relations(taskId);
    // Only what is active is held.
    const held = task.status === 'active' ? await store.claims.of(taskId) : undefined;
    return {
      task: wholeTask(task, { ancestry, children, notes, relations }),
      ...(held ? { claim: claimView(held, ctx.config['claims.ttlMinutes']) } : {}),
    };
  },
});
