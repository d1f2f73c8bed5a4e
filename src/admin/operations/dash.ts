import { array, description, metadata, number, optional, pipe, record, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { type Config, type ConfigKey, defaultConfig } from '#core/model/config.ts';
import { MomentSchema } from '#core/model/moment.ts';
import type { Status, TaskType } from '#core/model/scalars.ts';
import { limitParam } from '#core/page.ts';
import { getConfigScope } from '#core/rules/config-scope.ts';
import { parseAgo } from '#lib/ago.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { OpenWork } from '#tasks/model/open-work.ts';
import { TaskClaimSchema } from '#tasks/model/task.ts';
import { type ClaimJudge, createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { readReserved } from '#tasks/operations/shared/recommend.ts';
import { toAbsence } from '#tasks/rules/claims.ts';
import { listFreeTasks, rankTasks } from '#tasks/rules/next.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import { ConfigValueSchema } from './shared/config-scope.ts';

const TaskRef = strictObject({ id: string(), title: string() });

const Summary = strictObject({
  tasks: number(),
  archived: optional(number()),
  cancelled: optional(number()),
  byStatus: record(string(), number()),
  byType: record(string(), number()),
  ready: number(),
  sessions: optional(
    array(
      strictObject({
        id: string(),
        name: optional(string()),
        scope: string(),
        agent: string(),
        since: string(),
        claims: optional(array(strictObject({ taskId: string(), agent: string(), state: TaskClaimSchema.entries.state }))),
      }),
    ),
  ),
  active: array(
    strictObject({
      ...TaskRef.entries,
      holder: optional(string()),
      session: optional(string()),
      since: optional(string()),
      state: TaskClaimSchema.entries.state,
    }),
  ),
  blocked: array(strictObject({ ...TaskRef.entries, why: string() })),
  /** Tasks that take no more evidence until a person looks at them. */
  exhaustedRounds: optional(array(strictObject({ ...TaskRef.entries, failedRounds: number() }))),
  doneToday: array(TaskRef),
  next: optional(strictObject({ taskId: string(), title: string() })),
  settings: optional(array(strictObject({ key: string(), value: ConfigValueSchema }))),
  lastActivity: optional(strictObject({ at: string(), operation: string(), agent: string() })),
});

export const adminDash = query({
  name: 'admin.dash',
  aliases: ['system.dash'],
  summary: 'Show counts, sessions, active and blocked tasks',
  params: strictObject({
    limit: limitParam(10, 'Maximum number of tasks and sessions in each list'),
    since: optional(
      pipe(
        MomentSchema,
        description('Show tasks done since, e.g. 2026-01-31, or 12h ago; by default today'),
        // Signatures, which every agent reads, leave it out.
        metadata({ isRare: true }),
      ),
    ),
  }),
  synonyms: ['status', 'dashboard', 'overview', 'stats', 'summary'],
  result: strictObject({ summary: Summary }),
  errors: [],
  tier: 0,
  cli: { command: ['dash', 'system dash'], view: async () => (await import('../view.ts')).adminView },
  example: {
    world: ['T001 epic', 'T002 in T001 active by ada@session-1', 'T003 in T001 depends T002', 'session session-1 epic:T001 by ada: Parser'],
    call: {},
  },
  async run(ctx, { limit, since }) {
    const { store, now, today } = ctx;
    // A time without a zone is local.
    const start = since ? parseAgo(now, since) : new Date(`${today}T00:00:00`).toISOString();
    const graph = await store.tasks.getOpenGraph();
    const judge = await createClaimJudge(ctx, graph.claims);
    const options = { isLapsed: judge.isLapsed, reserved: await readReserved(ctx, graph), today };
    const [next] = rankTasks(graph, options, 1);
    const [last] = await store.audit.list({}, { limit: 1, offset: 0 });
    return {
      summary: {
        ...(await countTasks(store)),
        // The tasks that `next` hands out, one after another.
        ready: listFreeTasks(graph, options).length,
        ...(await listSessions(store, graph, judge, limit)),
        active: await listActive(store, graph, judge, limit),
        blocked: await listBlocked(store, limit),
        ...omitEmpty({ exhaustedRounds: await store.gates.listExhausted(ctx.config['verification.maxRounds'], limit) }),
        doneToday: (await store.tasks.listRecentlyDone(start, limit)).map(({ id, title }) => ({
          id,
          title,
        })),
        ...(next ? { next: { taskId: next.taskId, title: (await store.tasks.getHit(next.taskId))?.title ?? '' } } : {}),
        ...omitEmpty({ settings: listOpenSettings(ctx.config) }),
        ...(last ? { lastActivity: { at: last.timestamp, operation: `${last.domain}.${last.operation}`, agent: last.agent } } : {}),
      },
    };
  },
});

/** Lists the settings that agents may change and that differ from the default, so that a person notices a change. */
const listOpenSettings = (config: Config) =>
  (Object.keys(defaultConfig) as ConfigKey[])
    .filter((key) => getConfigScope(key) === 'mutate' && JSON.stringify(config[key]) !== JSON.stringify(defaultConfig[key]))
    .map((key) => ({ key, value: config[key] ?? '' }));

/** Counts tasks by status and type; archived and cancelled tasks are counted separately. */
async function countTasks(store: ReadStore) {
  const byStatus: Partial<Record<Status, number>> = {};
  const byType: Partial<Record<TaskType, number>> = {};
  let tasks = 0;
  let archived = 0;
  let cancelled = 0;
  for (const { status, type, n, archived: isArchived, isCancelled } of await store.tasks.countByStatus()) {
    if (isArchived || isCancelled) {
      if (isArchived) archived += n;
      else cancelled += n;
      continue;
    }
    tasks += n;
    byStatus[status] = (byStatus[status] ?? 0) + n;
    byType[type] = (byType[type] ?? 0) + n;
  }
  return {
    tasks,
    ...(archived > 0 ? { archived } : {}),
    ...(cancelled > 0 ? { cancelled } : {}),
    byStatus: sortCounts(byStatus),
    byType: sortCounts(byType),
  };
}

const countOrder = ['pending', 'active', 'blocked', 'done', 'saga', 'epic', 'task', 'subtask'];
const sortCounts = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => countOrder.indexOf(a) - countOrder.indexOf(b)));

async function listActive(store: ReadStore, { tasks, claims }: OpenWork, { judge }: ClaimJudge, limit: number) {
  const claimByTask = new Map(claims.map((claim) => [claim.taskId, claim]));
  const ids = tasks.filter(({ status }) => status === 'active').map(({ id }) => id);
  return (await store.tasks.getHits(ids.slice(0, limit))).map(({ id, title }) => {
    const claim = claimByTask.get(id);
    const { agent: holder, session, claimedAt: since } = claim ?? {};
    return { id, title, ...defined({ holder, session, since }), ...(claim ? toAbsence(judge(claim)) : {}) };
  });
}

/** Lists the active sessions, newest first, each with the claims of its agents. */
async function listSessions(store: ReadStore, { claims }: OpenWork, { judge }: ClaimJudge, limit: number) {
  const found = (await store.sessions.listActive()).reverse().slice(0, limit);
  const sessions = found.map(({ id, name, scope, startedBy, startedAt }) => {
    const held = claims
      .filter(({ session }) => session === id)
      .map((claim) => ({ taskId: claim.taskId, agent: claim.agent, ...toAbsence(judge(claim)) }));
    return {
      id,
      ...defined({ name }),
      scope: formatScope(scope),
      agent: startedBy,
      since: startedAt,
      ...omitEmpty({ claims: held.slice(0, limit) }),
    };
  });
  return omitEmpty({ sessions });
}

const listBlocked = async (store: ReadStore, limit: number) =>
  (await store.tasks.listBlocked()).slice(0, limit).map(({ id, title, blockedBy }) => ({ id, title, why: blockedBy ?? 'no reason given' }));
