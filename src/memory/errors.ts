import { addErrorRows, askPerson, type ErrorRow, row } from '#core/errors/catalog.ts';

/** Errors of memory. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_AUTONOMOUS_BOUNDARY: row<{
    id: string;
    what: string;
    problem: string;
    retry: string;
    hint?: string | undefined;
    taskId?: string | undefined;
  }>({
    exit: 64,
    http: 403,
    message: (d) => `${d.what} needs a person, or a token of scope decide: ${d.problem}`,
    // An agent can only read the entry and leave the decision to a person.
    fix: (d) => `cleo memory fetch ${d.id}`,
    manual: (d) => [askPerson(d.retry), ...(d.hint ? [d.hint] : [])].join('. '),
    alternatives: (d) => [
      ...(d.taskId
        ? [
            {
              action: `Block ${d.taskId} until it is decided`,
              command: `cleo update ${d.taskId} --blocked-by '${d.id} waits for a decision'`,
            },
          ]
        : []),
    ],
  }),
} satisfies Record<string, ErrorRow<never>>;

type MemoryRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends MemoryRows {}
}

addErrorRows(rows);
