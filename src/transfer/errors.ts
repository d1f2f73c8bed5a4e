import { addErrorRows, type ErrorRow, row } from '#core/errors/catalog.ts';

const rows = {
  /** The answer "no" of `sync --check`, with the exit code that CI expects of a check. */
  E_PLAN_OUT_OF_STEP: row<{ problems: string[]; count: number; fix: string; manual?: string }>({
    exit: 1,
    http: 409,
    message: (d) => `${d.problems[0]}${d.count > 1 ? `, and ${d.count - 1} more` : ''}`,
    fix: (d) => d.fix,
  }),
  /** A later call continues where this one stopped. */
  E_GITHUB_RATE_LIMIT: row<{ until: string; fix: string; manual: string }>({
    exit: 7,
    http: 503,
    message: (d) => `GitHub accepts no more requests of this token until ${d.until}; everything so far is stored`,
    fix: (d) => d.fix,
  }),
  E_GITHUB_BUSY: row<{ repo: string; fix: string; manual: string }>({
    exit: 7,
    http: 503,
    message: (d) => `Another sync with ${d.repo} is running; nothing was changed`,
    fix: (d) => d.fix,
  }),
  E_GITHUB_DENIED: row<{ problem: string; fix: string; manual: string }>({
    exit: 8,
    http: 403,
    message: (d) => d.problem,
    fix: (d) => d.fix,
  }),
  E_GITHUB_UNREACHABLE: row<{ address: string; problem: string; fix: string; manual: string }>({
    exit: 3,
    http: 503,
    message: (d) => `${d.address}: ${d.problem}; everything so far is stored`,
    fix: (d) => d.fix,
  }),
} satisfies Record<string, ErrorRow<never>>;

type TransferRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends TransferRows {}
}

addErrorRows(rows);
