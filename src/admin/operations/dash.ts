import { array, number, optional, record, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import type { Status, TaskType } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { OpenWork } from '#tasks/model/open-work.ts';
import { rankTasks, selectReadyTasks } from '#tasks/rules/next.ts';
import { formatScope } from '#tasks/rules/scope.ts';

const mostShown = 10;

const Named = strictObject({ id: string(), title: string() });

const Summary = strictObject({
  tasks: number(),
  archived: optional(number()),
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
        claims: optional(array(strictObject({ taskId: string(), agent: string() }))),
      }),
    ),
  ),
  active: array(strictObject({ ...Named.entries, holder: optional(string()), session: optional(string()), since: optional(string()) })),
  blocked: array(strictObject({ ...Named.entries, why: string() })),
  doneToday: array(Named),
  next: optional(strictObject({ taskId: string(), title: string() })),
  lastActivity: optional(strictObject({ at: string(), operation: string(), agent: string() })),
});

export const adminDash = query({
  name: 'admin.dash',
  aliases: ['system.dash'],
  summary: 'The project at a glance: counts, sessions, who is at what, what is blocked and why, what is next',
  params: strictObject({}),
  result: strictObject({ summary: Summary }),
  errors: [],
  tier: 0,
  cli: { command: ['dash', 'system dash'], view: async () => (await import('../view.ts')).adminView },
  example: {
    world: ['T001 epic', 'T002 in T001 active by ada@session-1', 'T003 in T001 depends T002', 'session session-1 epic:T001 by ada: Parser'],
    call: {},
  },
  async run({ store, now, caller, config }) {
    const graph = await store.tasks.getOpenGraph();
    const asked = { now: await store.claims.getLeaseTime(now), caller, ttlMinutes: config['claims.ttlMinutes'] };
    const [next] = rankTasks(graph, asked, 1);
    const [last] = await store.audit.list({}, { limit: 1, offset: 0 });
    return {
      summary: {
        ...(await countsOf(store)),
        ready: selectReadyTasks(graph, asked).length,
        ...(await sessionsOf(store, graph)),
        active: await activeOf(store, graph),
        blocked: await blockedOf(store),
        doneToday: (await store.tasks.listRecentlyDone(`${now.slice(0, 10)}T00:00:00.000Z`, mostShown)).map(({ id, title }) => ({
          id,
          title,
        })),
        ...(next ? { next: { taskId: next.taskId, title: (await store.tasks.getHit(next.taskId))?.title ?? '' } } : {}),
        ...(last ? { lastActivity: { at: last.timestamp, operation: `${last.domain}.${last.operation}`, agent: last.agent } } : {}),
      },
    };
  },
});

/** Archived ones count on their own. */
async function countsOf(store: ReadStore) {
  const byStatus: Partial<Record<Status, number>> = {};
  const byType: Partial<Record<TaskType, number>> = {};
  let tasks = 0;
  let archived = 0;
  for (const { status, type, n, archived: isArchived } of await store.tasks.countByStatus()) {
    if (isArchived) {
      archived += n;
      continue;
    }
    tasks += n;
    byStatus[status] = (byStatus[status] ?? 0) + n;
    byType[type] = (byType[type] ?? 0) + n;
  }
  return { tasks, ...(archived ? { archived } : {}), byStatus: ordered(byStatus), byType: ordered(byType) };
}

const order = ['pending', 'active', 'blocked', 'done', 'saga', 'epic', 'task', 'subtask'];
const ordered = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));

async function activeOf(store: ReadStore, { tasks, claims }: OpenWork) {
  const claimOf = new Map(claims.map((claim) => [claim.taskId, claim]));
  const ids = tasks.filter(({ status }) => status === 'active').map(({ id }) => id);
  return (await store.tasks.getHits(ids.slice(0, mostShown))).map(({ id, title }) => {
    const claim = claimOf.get(id);
    const { agent: holder, session, claimedAt: since } = claim ?? {};
    return { id, title, ...(holder ? { holder } : {}), ...(session ? { session } : {}), ...(since ? { since } : {}) };
  });
}

/** The active ones, the newest first, each with what its agents hold. */
async function sessionsOf(store: ReadStore, { claims }: OpenWork) {
  const found = (await store.sessions.listActive()).reverse().slice(0, mostShown);
  const sessions = found.map(({ id, name, scope, startedBy, startedAt }) => {
    const held = claims.filter(({ session }) => session === id).map(({ taskId, agent }) => ({ taskId, agent }));
    return {
      id,
      ...(name ? { name } : {}),
      scope: formatScope(scope),
      agent: startedBy,
      since: startedAt,
      ...(held.length > 0 ? { claims: held.slice(0, mostShown) } : {}),
    };
  });
  return sessions.length > 0 ? { sessions } : {};
}

const blockedOf = async (store: ReadStore) =>
  (await store.tasks.listBlocked())
    .slice(0, mostShown)
    .map(({ id, title, blockedBy }) => ({ id, title, why: blockedBy ?? 'nobody wrote why' }));
