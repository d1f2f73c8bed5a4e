import { array, description, metadata, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { MomentSchema } from '#core/model/moment.ts';
import { limitParam } from '#core/page.ts';
import { parseAgo } from '#lib/ago.ts';
import { defined } from '#lib/collections.ts';
import { SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { buildTimeline } from '../../rules/timeline.ts';

/** Sessions whose lanes are shown; the log goes back further than that only with many short ones. */
const maxSessions = 200;

export const sessionTimeline = query({
  name: 'session.timeline',
  summary: 'Show what each agent worked on, and when',
  params: strictObject({
    since: optional(pipe(MomentSchema, description('Only what happened since, e.g. 2026-01-31, or 7d or 12h ago'))),
    session: optional(pipe(string(), description('Only this session'), metadata({ value: 'SESSION' }))),
    limit: limitParam(2000, 'Maximum number of log entries, the newest ones'),
  }),
  result: strictObject({
    lanes: array(
      strictObject({
        agent: string(),
        focus: array(strictObject({ taskId: string(), title: optional(string()), from: string(), to: optional(string()) })),
        marks: array(
          strictObject({
            at: string(),
            seq: number(),
            kind: picklist(['done', 'error', 'handoff']),
            taskId: optional(string()),
            session: optional(string()),
            text: optional(string()),
          }),
        ),
      }),
    ),
    sessions: array(SessionSummarySchema),
    /** The time of the first entry that was read, and of this answer. */
    from: string(),
    to: string(),
  }),
  errors: ['E_VALIDATION'],
  tier: 2,
  cli: { command: 'session timeline', view: async () => (await import('../../view.ts')).sessionView },
  example: {
    world: ['T001 epic', 'T002 in T001 active by ada@session-1', 'session session-1 epic:T001 by ada: Parser'],
    call: {},
    exit: 100,
  },
  async run({ store, registry, now }, { since, session, limit }) {
    const start = since && parseAgo(now, since);
    const found = await store.audit.list(defined({ session }), { limit, offset: 0 });
    const entries = found.filter(({ timestamp }) => start === undefined || timestamp >= start).reverse();
    const lanes = buildTimeline(
      entries.map(({ domain, operation, ...entry }) => {
        const called = registry.find(`${domain}.${operation}`);
        return { ...entry, operation: called?.name ?? `${domain}.${operation}`, isQuery: called?.kind === 'query' };
      }),
    );
    const ids = [...new Set(lanes.flatMap(({ focus }) => focus.map(({ taskId }) => taskId)))];
    const titles = new Map((await store.tasks.getHits(ids)).map(({ id, title }) => [id, title]));
    const from = entries[0]?.timestamp ?? start ?? now;
    const sessions = (await store.sessions.list(undefined, { limit: maxSessions, offset: 0 }))
      .filter(({ id, endedAt }) => (session === undefined || id === session) && (endedAt === undefined || endedAt >= from))
      .map(toSessionSummary);
    return answer(
      {
        lanes: lanes.map(({ focus, ...lane }) => ({
          ...lane,
          focus: focus.map((period) => ({ ...period, ...defined({ title: titles.get(period.taskId) }) })),
        })),
        sessions,
        from,
        to: now,
      },
      lanes.length === 0 ? { exit: 100 } : {},
    );
  },
});
