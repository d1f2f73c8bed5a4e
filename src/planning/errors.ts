import { addErrorRows, type ErrorRow, row } from '#core/errors/catalog.ts';

/** Errors of planning. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_LIFECYCLE_GATE_FAILED: row<{
    epicId: string;
    stage: string;
    missing: string[];
    hint?: string;
    legacyExitCode: number;
    fix: string;
    skip?: string;
  }>({
    exit: 80,
    http: 409,
    message: (d) => `${d.epicId} cannot enter ${d.stage} before ${d.missing.join(', ')}${d.hint ? `; ${d.hint}` : ''}`,
    fix: (d) => d.fix,
    alternatives: (d) => [
      { action: `Start ${d.missing[0]}`, command: `cleo lifecycle start ${d.epicId} ${d.missing[0]}` },
      ...(d.skip ? [{ action: `Skip ${d.missing[0]}`, command: d.skip }] : []),
    ],
  }),
  E_AUDIT_MISSING: row<{ problem: string; fix: string }>({ exit: 81, http: 422, message: (d) => d.problem, fix: (d) => d.fix }),
  E_LIFECYCLE_TRANSITION_INVALID: row<{ epicId: string; stage: string; status: string; act: string; fix: string }>({
    exit: 83,
    http: 409,
    message: (d) => `${d.stage} of ${d.epicId} is ${d.status}; ${d.act} is not possible`,
    fix: (d) => d.fix,
  }),
  E_PROVENANCE_REQUIRED: row<{ epicId: string; problem: string; fix: string }>({
    exit: 84,
    http: 422,
    message: (d) => `Completing release of ${d.epicId} needs \`provenance\`: ${d.problem}`,
    fix: (d) => d.fix,
  }),
} satisfies Record<string, ErrorRow<never>>;

type PlanningRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends PlanningRows {}
}

addErrorRows(rows);
