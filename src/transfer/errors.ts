import { addErrorRows } from '#core/errors/catalog.ts';
import { type ErrorRow, row } from '#core/errors/row.ts';

const rows = {
  /** The answer "no" of `sync --check`, with the exit code that CI expects of a check. */
  E_PLAN_OUT_OF_STEP: row<{ problems: string[]; count: number; fix: string; manual?: string }>({
    exit: 1,
    http: 409,
    message: (d) => `${d.problems[0]}${d.count > 1 ? `, and ${d.count - 1} more` : ''}`,
    fix: (d) => d.fix,
  }),
} satisfies Record<string, ErrorRow<never>>;

type TransferRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends TransferRows {}
}

addErrorRows(rows);
