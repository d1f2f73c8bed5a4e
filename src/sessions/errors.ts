import { addErrorRows, commandLine, type ErrorRow, quote, row } from '#core/errors/catalog.ts';

/** Errors of sessions. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_SESSION_EXISTS: row<{ sessionId: string; scope: string }>({
    exit: 30,
    http: 409,
    message: (d) => `The session ${d.sessionId} is active with the scope ${d.scope}`,
    fix: (d) => `cleo session resume ${d.sessionId}`,
    alternatives: () => [{ action: 'See all sessions', command: 'cleo session list' }],
  }),
  E_SCOPE_INVALID: row<{ scope?: string; problem: string; fix: string }>({
    exit: 33,
    http: 422,
    message: (d) => d.problem,
    fix: (d) => d.fix,
    alternatives: () => [{ action: 'See the epics', command: 'cleo list --type epic' }],
  }),
  E_SESSION_REQUIRED: row<{
    activeSessions?: string[];
    retry?: string[];
    inactiveSession?: string;
    otherAgentsSession?: string;
    /** The session that the environment names, and that does not exist in this project. */
    unknownSession?: string;
    act?: string;
  }>({
    exit: 36,
    http: 409,
    message: (d) =>
      d.inactiveSession
        ? `The session ${d.inactiveSession} is not active`
        : d.unknownSession
          ? `CLEO_SESSION_ID names the session ${JSON.stringify(d.unknownSession)}, which does not exist in this project`
          : d.retry
            ? `You are in several sessions: ${(d.activeSessions ?? []).join(', ')}; name one as \`session\``
            : d.activeSessions
              ? `You are in no session; active: ${d.activeSessions.join(', ')}; join one or name it as \`session\``
              : d.otherAgentsSession
                ? `You are not in a session, and ${d.otherAgentsSession} belongs to another agent; name it as \`session\` to ${d.act} it`
                : `No session is active${d.act ? `; there is nothing to ${d.act}` : ''}`,
    manual: (d) => (d.unknownSession ? 'Unset CLEO_SESSION_ID, or set it to an id of cleo session list' : ''),
    fix: (d) =>
      d.inactiveSession
        ? `cleo session resume ${d.inactiveSession}`
        : d.retry?.[0]
          ? d.retry[0]
          : d.activeSessions || d.otherAgentsSession || d.unknownSession
            ? `cleo session list${d.unknownSession ? '' : ' --status active'}`
            : 'cleo session start --scope global --auto-focus --name Work',
    alternatives: (d) =>
      d.retry?.map((command) => ({ action: 'Name the session', command })) ??
      (d.activeSessions ?? []).map((id) => ({ action: `Join ${id}`, command: `cleo session resume ${id}` })),
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
  E_CONCURRENT_SESSION: row<{ sessionId: string; agent: string; retry: string }>({
    exit: 67,
    http: 409,
    message: (d) => `${d.agent} is already in the active session ${d.sessionId}; an agent has one session at a time`,
    fix: (d) => commandLine(['cleo', 'session', 'end', '--session', d.sessionId, '--note', 'Switching to another scope']),
    alternatives: (d) => [
      { action: 'Suspend it', command: `cleo session suspend --session ${d.sessionId}` },
      { action: 'Resume it', command: `cleo session resume ${d.sessionId}` },
      { action: 'Work as a second agent', command: `CLEO_AGENT_ID=${quote(`${d.agent}-2`)} ${d.retry}` },
    ],
  }),
} satisfies Record<string, ErrorRow<never>>;

type SessionRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends SessionRows {}
}

addErrorRows(rows);
