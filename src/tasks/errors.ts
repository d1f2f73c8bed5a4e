import { addErrorRows, commandLine, type ErrorRow, row } from '#core/errors/catalog.ts';
import type { HolderState } from './model/task.ts';

interface ClaimedFacts {
  taskId: string;
  holder: string;
  since: string;
  lastSeen: string;
  state: HolderState;
  /** Set if the task was taken over from the caller. */
  takenOver?: { at: string; reason: string } | undefined;
  suggestion?: string | undefined;
  /** The command that starts the suggested task. */
  focus: string;
  /** The command that shows free tasks, in the session that the call names. */
  look?: string | undefined;
  /** The command that claims the next free task. */
  claim: string;
  /** The command that takes the task over, if the caller may do that. */
  retry?: string | undefined;
}

/** Errors of tasks that only few calls throw. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_VALIDATION_ACCEPTANCE: row<{ taskId: string; unmet: { n: number; text: string }[] }>({
    exit: 6,
    http: 422,
    message: (d) => `${d.taskId} has unmet acceptance criteria: ${d.unmet.map((c) => `${c.n}. ${c.text}`).join('; ')}`,
    fix: (d) => `cleo criteria check ${d.taskId} ${d.unmet[0]?.n}`,
  }),
  E_VALIDATION_FROZEN: row<{ taskId: string; retry: string }>({
    exit: 6,
    http: 422,
    message: (d) => `${d.taskId} has been started; changing its acceptance criteria needs a reason`,
    fix: (d) => d.retry,
  }),
  E_ORPHAN_DETECTED: row<{ orphans: string[] }>({
    exit: 15,
    http: 409,
    message: (d) => `The parent of these tasks is missing: ${d.orphans.join(', ')}`,
    fix: () => 'cleo doctor --fix',
  }),
  E_CASCADE_FAILED: row<{ taskId: string; held: string; holder: string; act?: 'cancelled' }>({
    exit: 18,
    http: 409,
    message: (d) => `${d.held}, inside ${d.taskId}, is held by ${d.holder}; nothing was ${d.act ?? 'deleted'}`,
    fix: (d) => `cleo show ${d.held}`,
  }),
  E_HAS_DEPENDENTS: row<{ taskId: string; dependents: string[]; retry: string }>({
    exit: 19,
    http: 409,
    message: (d) => `${d.dependents.slice(0, 10).join(', ')} ${d.dependents.length === 1 ? 'depends' : 'depend'} on ${d.taskId}`,
    fix: (d) => d.retry,
  }),
  E_CONCURRENT_MODIFICATION: row<{ taskId: string; expected: number; actual: number }>({
    exit: 21,
    http: 409,
    message: (d) => `${d.taskId} is at revision ${d.actual}, not ${d.expected}`,
    fix: (d) => `cleo show ${d.taskId}`,
  }),
  E_SCOPE_CONFLICT: row<{ sessionId: string; scope: string; other: string; agents: string[]; moved?: string; fix?: string }>({
    exit: 32,
    http: 409,
    message: (d) =>
      `${d.moved ? `After moving ${d.moved}, ` : ''}${d.scope} overlaps with ${d.other}, the scope of the active session ${d.sessionId} (${d.agents.join(', ')})`,
    // Joining is safe; ending another agent's session is not.
    fix: (d) => d.fix ?? `cleo session resume ${d.sessionId}`,
    alternatives: (d) => [
      {
        action: 'End it, if it is yours or abandoned',
        command: commandLine(['cleo', 'session', 'end', '--session', d.sessionId, '--note', 'Making way']),
      },
    ],
  }),
  E_TASK_ASSIGNED: row<{ taskId: string; assignee: string; suggestion?: string | undefined; focus: string; look: string; retry: string }>({
    exit: 35,
    http: 409,
    message: (d) => `${d.taskId} is assigned to ${d.assignee}`,
    fix: (d) => (d.suggestion ? 'cleo next' : `cleo show ${d.taskId}`),
    alternatives: (d) => [
      ...(d.suggestion ? [{ action: `Focus ${d.suggestion}`, command: d.focus }] : []),
      { action: `Take ${d.taskId} over from ${d.assignee}`, command: d.retry },
    ],
  }),
  E_TASK_CLAIMED: row<ClaimedFacts>({
    exit: 35,
    http: 409,
    message: (d) =>
      `${d.takenOver ? `${d.taskId} was taken over from you: ${d.takenOver.reason}. It` : d.taskId} is held by ${d.holder} since ${d.since}, who is ${d.state} and was last seen at ${d.lastSeen}`,
    // Without another task, the task itself shows its holder and when the claim lapses.
    fix: (d) => (d.suggestion ? (d.look ?? 'cleo next') : `cleo show ${d.taskId}`),
    alternatives: (d) => [
      { action: 'See free tasks', command: d.look ?? 'cleo next' },
      ...(d.suggestion ? [{ action: `Focus ${d.suggestion}`, command: d.focus }] : []),
      { action: 'Take the next free task at once', command: d.claim },
      ...(d.retry ? [{ action: `Take ${d.taskId} over from ${d.holder}`, command: d.retry }] : []),
    ],
  }),
} satisfies Record<string, ErrorRow<never>>;

type TaskErrorRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends TaskErrorRows {}
}

addErrorRows(rows);
