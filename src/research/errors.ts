import { addErrorRows, type ErrorRow, row } from '#core/errors/catalog.ts';

/** Errors of research. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_PROTOCOL_MISSING: row<{ taskId: string; problem: string; fix: string }>({
    exit: 60,
    http: 409,
    message: (d) => `${d.taskId} ${d.problem}`,
    fix: (d) => d.fix,
    alternatives: (d) => [{ action: 'Spawn it with its protocol', command: `cleo orchestrate spawn ${d.taskId}` }],
  }),
  E_INVALID_RETURN_MESSAGE: row<{ taskId: string; problem: string; fix: string }>({
    exit: 61,
    http: 422,
    message: (d) => `The return message of ${d.taskId} ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_MANIFEST_ENTRY_MISSING: row<{ taskId: string; fix: string }>({
    exit: 62,
    http: 409,
    message: (d) => `The research manifest has no entry for ${d.taskId}`,
    fix: (d) => d.fix,
  }),
} satisfies Record<string, ErrorRow<never>>;

type ResearchRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends ResearchRows {}
}

addErrorRows(rows);
