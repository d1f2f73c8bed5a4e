import { addErrorRows, type ErrorRow, quote, row } from '#core/errors/catalog.ts';

/** Errors of `admin` operations. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_BACKUP_NOT_FOUND: row<{ id: string; fix: string }>({
    exit: 4,
    http: 404,
    message: (d) => `There is no backup ${d.id}`,
    fix: (d) => d.fix,
  }),
  E_GRADE_TOO_LOW: row<{ sessionId: string; percent: number; min: number; letter: string; flags: string[] }>({
    exit: 1,
    http: 422,
    message: (d) => `${d.sessionId} has ${d.percent} % (${d.letter}); at least ${d.min} % is required`,
    fix: (d) => `cleo grade ${quote(d.sessionId)} --explain`,
  }),
  E_GRADE_INCOMPLETE: row<{ sessionId: string; min: number; unknown: string[] }>({
    exit: 1,
    http: 422,
    message: (d) => `${d.sessionId} was not started with grade: ${d.unknown.join(', ')} are unknown, so ${d.min} % cannot be required`,
    fix: (d) => `cleo grade ${quote(d.sessionId)} --partial`,
  }),
  E_LOG_UNPROVEN: row<{ what: string; level: string; required: string; fix: string }>({
    exit: 1,
    http: 422,
    message: (d) => `${d.what} is ${d.level}; ${d.required} is required`,
    fix: (d) => d.fix,
  }),
  E_ANCHOR_FAILED: row<{ problem: string; fix: string; manual?: string }>({
    exit: 5,
    http: 502,
    message: (d) => `The heads of the audit log were not anchored: ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_UNDO_BLOCKED: row<{ entry: number; what: string; problem: string }>({
    exit: 21,
    http: 409,
    message: (d) => `${d.what} cannot be taken back: ${d.problem}`,
    fix: (d) => `cleo log --after ${d.entry - 1}`,
  }),
  E_TOO_MANY_REQUESTS: row<{ retryAfterSeconds: number }>({
    exit: 7,
    http: 429,
    message: (d) => `Too many calls; try again in ${d.retryAfterSeconds} s`,
    fix: () => 'cleo config get serve.callsPerMinute',
    manual: (d) => `Wait ${d.retryAfterSeconds} s, then send the call again`,
  }),
} satisfies Record<string, ErrorRow<never>>;

type AdminRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends AdminRows {}
}

addErrorRows(rows);
