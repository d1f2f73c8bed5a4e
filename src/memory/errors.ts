import { addRows } from '#core/errors/catalog.ts';
import { type Row, row } from '#core/errors/row.ts';

/** Refusals of memory. Whoever throws one imports this file; else the catalogue does not know it. */
const rows = {
  E_AUTONOMOUS_BOUNDARY: row<{ id: string; what: string; retry: string; taskId?: string | undefined }>({
    exit: 64,
    http: 403,
    message: (d) => `${d.what} is for a person to decide: at a terminal, or with a token of scope admin`,
    // What an agent can do is to look at it, and to leave it where a person finds it.
    fix: (d) => `cleo memory fetch ${d.id}`,
    alternatives: (d) => [
      { action: 'For a person, at a terminal', command: d.retry },
      ...(d.taskId
        ? [{ action: `Let ${d.taskId} wait for it`, command: `cleo update ${d.taskId} --blocked-by '${d.id} waits for a decision'` }]
        : []),
    ],
  }),
} satisfies Record<string, Row<never>>;

type MemoryRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends MemoryRows {}
}

addRows(rows);
