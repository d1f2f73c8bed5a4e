import { addErrorRows, type ErrorRow, row } from '#core/errors/catalog.ts';

/** Errors of orchestration. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_SPAWN_VALIDATION_FAILED: row<{ taskId: string; findings: { code: string; message: string; fix: string }[] }>({
    exit: 63,
    http: 409,
    message: (d) => `${d.taskId} cannot be spawned: ${d.findings.map((f) => f.message).join('; ')}`,
    fix: (d) => d.findings[0]!.fix,
    alternatives: (d) => d.findings.slice(1).map((f) => ({ action: f.code, command: f.fix })),
  }),
} satisfies Record<string, ErrorRow<never>>;

type OrchestrationRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends OrchestrationRows {}
}

addErrorRows(rows);
