import { addRows } from '#core/errors/catalog.ts';
import { commandLine, quote } from '#core/errors/quote.ts';
import { type Row, row } from '#core/errors/row.ts';

/** Refusals of sessions that end, go on or would be a second one. Whoever throws one imports this file; else the catalogue does not know it. */
const rows = {
  E_SESSION_CLOSE_BLOCKED: row<{ sessionId: string; active: { taskId: string; agent: string }[] }>({
    exit: 37,
    http: 409,
    message: (d) =>
      `${d.active.map(({ taskId }) => taskId).join(', ')} ${d.active.length === 1 ? 'is' : 'are'} still active in the session ${d.sessionId}`,
    // Letting go is safe; calling it complete is for whoever did the work.
    fix: (d) => `cleo stop --session ${d.sessionId} --agent ${quote(d.active[0]?.agent ?? '')}`,
    alternatives: (d) =>
      d.active.map(({ taskId, agent }) => ({
        action: `Complete ${taskId}`,
        command: `cleo complete ${taskId} --session ${d.sessionId} --agent ${quote(agent)}`,
      })),
  }),
  E_NOTES_REQUIRED: row<{ sessionId: string; retry: string }>({
    exit: 39,
    http: 422,
    message: (d) => `The session ${d.sessionId} ends only with a note for whoever comes next`,
    fix: (d) => d.retry,
  }),
  E_HANDOFF_REQUIRED: row<{ sessionId: string; percent: number; fix: string }>({
    exit: 65,
    http: 409,
    message: (d) => `The context window is at ${d.percent} %: the session ${d.sessionId} ends only with a note, or by safestop`,
    fix: (d) => d.fix,
  }),
  E_RESUME_FAILED: row<{ sessionId: string; scope: string }>({
    exit: 66,
    http: 409,
    message: (d) => `The session ${d.sessionId} cannot go on: the root of its scope ${d.scope} is gone`,
    fix: () => 'cleo session start --scope global --auto-focus --name Work',
    alternatives: (d) => [{ action: 'Read its handoff', command: `cleo session show ${d.sessionId}` }],
  }),
  E_CONCURRENT_SESSION: row<{ sessionId: string; agent: string }>({
    exit: 67,
    http: 409,
    message: (d) => `${d.agent} is in the active session ${d.sessionId} already, and one at a time is the rule here`,
    fix: (d) => commandLine(['cleo', 'session', 'end', '--session', d.sessionId, '--note', 'Changing to another scope']),
    alternatives: (d) => [{ action: 'Go on with it', command: `cleo session resume ${d.sessionId}` }],
  }),
} satisfies Record<string, Row<never>>;

type SessionRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends SessionRows {}
}

addRows(rows);
