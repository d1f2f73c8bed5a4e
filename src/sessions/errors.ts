import { addErrorRows } from '#core/errors/catalog.ts';
import { commandLine, quote } from '#core/errors/quote.ts';
import { type ErrorRow, row } from '#core/errors/row.ts';

/** Errors of sessions. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_SESSION_REQUIRED: row<{ activeSessions?: string[]; inactiveSession?: string; otherAgentsSession?: string; act?: string }>({
    exit: 36,
    http: 409,
    message: (d) =>
      d.inactiveSession
        ? `The session ${d.inactiveSession} is not active`
        : d.activeSessions
          ? `Several sessions are active: ${d.activeSessions.join(', ')}; name one as \`session\``
          : d.otherAgentsSession
            ? `You are not in a session, and ${d.otherAgentsSession} belongs to another agent; name it as \`session\` to ${d.act} it`
            : `No session is active${d.act ? `; there is nothing to ${d.act}` : ''}`,
    fix: (d) =>
      d.inactiveSession
        ? `cleo session resume ${d.inactiveSession}`
        : d.activeSessions || d.otherAgentsSession
          ? 'cleo session list --status active'
          : 'cleo session start --scope global --auto-focus --name Work',
    alternatives: (d) => (d.activeSessions ?? []).map((id) => ({ action: `Join ${id}`, command: `cleo session resume ${id}` })),
  }),
  E_SESSION_CLOSE_BLOCKED: row<{ sessionId: string; active: { taskId: string; agent: string }[] }>({
    exit: 37,
    http: 409,
    message: (d) =>
      `${d.active.map(({ taskId }) => taskId).join(', ')} ${d.active.length === 1 ? 'is' : 'are'} still active in session ${d.sessionId}`,
    // Releasing a claim is always safe; only the agent that did the work can say that it is complete.
    fix: (d) => `cleo stop ${d.active[0]?.taskId} --session ${d.sessionId} --agent ${quote(d.active[0]?.agent ?? '')}`,
    alternatives: (d) =>
      d.active.map(({ taskId, agent }) => ({
        action: `Complete ${taskId}`,
        command: `cleo complete ${taskId} --session ${d.sessionId} --agent ${quote(agent)}`,
      })),
  }),
  E_NOTES_REQUIRED: row<{ sessionId: string; retry: string }>({
    exit: 39,
    http: 422,
    message: (d) => `Ending session ${d.sessionId} needs a note for the next agent`,
    fix: (d) => d.retry,
  }),
  E_HANDOFF_REQUIRED: row<{ sessionId: string; percent: number; fix: string }>({
    exit: 65,
    http: 409,
    message: (d) => `The context window is at ${d.percent} %; ending session ${d.sessionId} needs a note or safestop`,
    fix: (d) => d.fix,
  }),
  E_RESUME_FAILED: row<{ sessionId: string; scope: string }>({
    exit: 66,
    http: 409,
    message: (d) => `Session ${d.sessionId} cannot be resumed: the root of its scope ${d.scope} does not exist`,
    fix: () => 'cleo session start --scope global --auto-focus --name Work',
    alternatives: (d) => [{ action: 'Read its handoff', command: `cleo session show ${d.sessionId}` }],
  }),
  E_CONCURRENT_SESSION: row<{ sessionId: string; agent: string }>({
    exit: 67,
    http: 409,
    message: (d) => `${d.agent} is already in the active session ${d.sessionId}; this project allows one session per agent`,
    fix: (d) => commandLine(['cleo', 'session', 'end', '--session', d.sessionId, '--note', 'Switching to another scope']),
    alternatives: (d) => [{ action: 'Resume it', command: `cleo session resume ${d.sessionId}` }],
  }),
} satisfies Record<string, ErrorRow<never>>;

type SessionRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends SessionRows {}
}

addErrorRows(rows);
