import { array, number, object, optional, string } from 'valibot';
import { type QueryContext, readStep, writeStep } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { parseTaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { mayActAs } from '#core/rules/token-agent.ts';
import { defined } from '#lib/collections.ts';
import { resolveScope, suggestScope } from '#sessions/operations/shared/sessions.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import { parseSlotAgent } from '../../rules/names.ts';
import { findOtherOwner } from './ownership.ts';
import { findResumeLimit, listRunning } from './select-task.ts';

/** The agent that holds a task, and the process that keeps its claim. */
const Holder = object({ agent: string(), session: optional(string()), process: string() });

/** A token may not keep the claims of others. */
function checkHolder({ token }: Pick<QueryContext, 'token'>, agent: string): void {
  if (token && !mayActAs(token, agent))
    throw new CleoError('E_FORBIDDEN', { problem: `Token ${token.name} may not act as ${agent}`, fix: 'cleo whoami' });
}

/** The reads and writes of `cleo work`, besides the calls that it makes. */
export const workSteps = {
  /** The task that a scope names, undefined for the whole project, and the scope with its kind. `T001` is that task with everything below it. */
  scope: readStep({
    name: 'scope',
    params: object({ scope: string() }),
    run: async ({ store, commandWith }, { scope: text }) => {
      const id = parseTaskId(text);
      if (id !== undefined) return { root: id, scope: suggestScope(await requireTask(store, id)) };
      const scope = await resolveScope(store, text, (other) => commandWith({ scope: other }));
      return { scope: formatScope(scope), ...defined({ root: scope.root }) };
    },
  }),
  task: readStep({
    name: 'task',
    params: object({ taskId: TaskIdSchema }),
    run: async ({ store }, { taskId }) => {
      const { status, acceptance, depends } = await requireTask(store, taskId);
      return { isDone: status === 'done', acceptance: acceptance.map(({ gate }) => defined({ gate })), depends };
    },
  }),
  done: readStep({
    name: 'done',
    params: object({ taskId: TaskIdSchema }),
    run: async ({ store }, { taskId }) => ({ isDone: (await store.tasks.get(taskId))?.status === 'done' }),
  }),
  /** The containers of a task, and the task itself; empty if it does not exist. */
  ancestry: readStep({
    name: 'ancestry',
    params: object({ taskId: TaskIdSchema }),
    run: async ({ store }, { taskId }) => (await store.tasks.getAncestry(taskId)).map(({ id }) => id),
  }),
  /** Tasks that processes have claimed, by the ids of these processes. */
  claimed: readStep({
    name: 'claimed',
    params: object({ workIds: array(string()) }),
    async run({ store }, { workIds }) {
      const held = await store.claims.list();
      const latest = await store.spawns.listLatest(held.map(({ taskId }) => taskId));
      const left = latest.filter(({ taskId, agent, spawnedBy }) => {
        const slot = parseSlotAgent(spawnedBy);
        return slot && workIds.includes(slot.workId) && held.some((claim) => claim.taskId === taskId && claim.agent === agent);
      });
      const titles = new Map((await store.tasks.getMany(left.map(({ taskId }) => taskId))).map(({ id, title }) => [id, title]));
      return left.map(({ taskId, agent, at, session }) => ({
        taskId,
        agent,
        at,
        title: titles.get(taskId) ?? taskId,
        ...defined({ session }),
      }));
    },
  }),
  running: readStep({ name: 'running', params: object({}), run: (ctx) => listRunning(ctx) }),
  /** Why a task is no longer that of its agent; see `findOtherOwner`. */
  owner: readStep({
    name: 'owner',
    params: object({ taskId: TaskIdSchema, agentId: string() }),
    run: async ({ store }, item) => defined({ owner: await findOtherOwner(store, item) }),
  }),
  /** Makes a claim that of another process, unless the task is no longer that of its agent, or a limit leaves no room for it. */
  adopt: writeStep({
    name: 'adopt',
    params: object({ taskId: TaskIdSchema, holder: Holder, profile: object({ name: string(), concurrency: number() }) }),
    isLease: true,
    async run(ctx, { taskId, holder, profile }) {
      const { tasks, claims } = ctx.store;
      const owner = await findOtherOwner(ctx.store, { taskId, agentId: holder.agent });
      if (owner !== undefined || (await tasks.get(taskId))?.status === 'done') return defined({ obstacle: owner });
      if ((await claims.get(taskId)) === undefined) return { obstacle: `${taskId} was released` };
      const limit = await findResumeLimit(ctx, taskId, profile);
      if (limit !== undefined) return { obstacle: `its claim has lapsed, and ${limit}` };
      checkHolder(ctx, holder.agent);
      await claims.renew(defined(holder), ctx.platform.now());
      return {};
    },
  }),
  renew: writeStep({
    name: 'renew',
    params: Holder,
    isLease: true,
    async run(ctx, holder) {
      checkHolder(ctx, holder.agent);
      await ctx.store.claims.renew(defined(holder), ctx.platform.now());
    },
  }),
};
