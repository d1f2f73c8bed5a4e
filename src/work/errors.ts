import { addErrorRows, type ErrorRow, row } from '#core/errors/catalog.ts';

/** Errors of `cleo work`. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_WORK_FAILED: row<{ failures: number; tasks: { taskId: string; note?: string | undefined }[]; fix: string; work: unknown }>({
    exit: 44,
    http: 500,
    message: (d) =>
      `${d.failures} tasks in a row were given up: ${d.tasks.map(({ taskId, note }) => (note ? `${taskId} (${note})` : taskId)).join('; ')}`,
    fix: (d) => d.fix,
    alternatives: () => [{ action: 'Try the tasks that were given up again', command: 'cleo work --retry' }],
  }),
} satisfies Record<string, ErrorRow<never>>;

type WorkRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends WorkRows {}
}

addErrorRows(rows);
