import { addErrorRows } from '#core/errors/catalog.ts';
import { type ErrorRow, row } from '#core/errors/row.ts';

/** Errors of a store on a server. A file that throws one imports this file. */
const rows = {
  E_STORE_UNREACHABLE: row<{ address: string; problem: string }>({
    exit: 3,
    http: 503,
    message: (d) => `The PostgreSQL store at ${d.address} cannot be reached: ${d.problem}`,
    fix: () => 'cleo doctor',
    alternatives: () => [{ action: 'See which store is configured', command: 'cleo config get store.url' }],
  }),
  E_STORE_UNAVAILABLE: row<{ address: string; problem: string; waitedMs: number }>({
    exit: 7,
    http: 503,
    message: (d) =>
      `The PostgreSQL store at ${d.address} cannot be reached: ${d.problem} (tried for ${d.waitedMs} ms); nothing was changed`,
    fix: () => 'cleo doctor',
    alternatives: () => [{ action: 'See which store is configured', command: 'cleo config get store.url' }],
  }),
} satisfies Record<string, ErrorRow<never>>;

type StoreRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends StoreRows {}
}

addErrorRows(rows);
