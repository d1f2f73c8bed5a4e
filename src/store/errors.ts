import { addErrorRows, askPerson, type ErrorRow, quote, row } from '#core/errors/catalog.ts';

/** Errors of a store on a server. A file that throws one imports this file. */
const rows = {
  E_OUTCOME_UNKNOWN: row<{ problem: string }>({
    exit: 21,
    http: 503,
    message: (d) => `${d.problem}; it is not known whether the write was saved`,
    fix: () => 'cleo log --limit 5',
  }),
  E_STORE_UNREACHABLE: row<{ address: string; problem: string; isServer?: true }>({
    exit: 3,
    http: 503,
    message: (d) => `The ${d.isServer ? 'cleo server' : 'PostgreSQL store'} at ${d.address} cannot be reached: ${d.problem}`,
    fix: (d) => (d.isServer ? 'cleo config get server.url' : 'cleo doctor'),
    alternatives: (d) => (d.isServer ? [] : [{ action: 'See which store is configured', command: 'cleo config get store.url' }]),
  }),
  E_STORE_UNAVAILABLE: row<{ address: string; problem: string; waitedMs: number; isServer?: true }>({
    exit: 7,
    http: 503,
    message: (d) =>
      `The ${d.isServer ? 'cleo server' : 'PostgreSQL store'} at ${d.address} cannot be reached: ${d.problem} (tried for ${d.waitedMs} ms); nothing was changed`,
    fix: (d) => (d.isServer ? 'cleo config get server.url' : 'cleo doctor'),
    alternatives: (d) => (d.isServer ? [] : [{ action: 'See which store is configured', command: 'cleo config get store.url' }]),
  }),
  E_STORE_BEHIND_SERVER: row<{ operation: string; server: string; command: string }>({
    exit: 8,
    http: 500,
    message: (d) =>
      `${d.operation} uses the checkout and the store at once, and the store of this project is behind the server at ${d.server}`,
    fix: (d) => askPerson(d.command),
    manual: (d) =>
      `Run "${d.command}" in a checkout that opens the store itself: on the machine of the server, or with CLEO_DATABASE_URL set to the address of its database`,
  }),
  E_SERVER_VERSION: row<{ server: string; found: string; own: string; problem?: string }>({
    exit: 8,
    http: 409,
    message: (d) =>
      `The server at ${d.server} has cleo ${d.found}, and this client is cleo ${d.own}; ${d.problem ?? 'their major versions must be the same'}`,
    fix: () => 'cleo version',
    manual: () => 'Update the older of the two to the version of the other',
  }),
  E_STORE_MOVED: row<{ place: string; at: string; isUnfinished: boolean; isReachable: boolean }>({
    exit: 8,
    http: 409,
    message: (d) =>
      d.isUnfinished
        ? `The store is the copy of a move from ${d.place} that has not ended (${d.at}); the store there is still the one in use`
        : `The store was moved to ${d.place} (${d.at}) and is read-only; nothing was changed`,
    fix: (d) =>
      d.isUnfinished || !d.isReachable
        ? 'cleo config get store.url'
        : `cleo store migrate --to ${d.place.startsWith('postgres') ? quote(d.place) : 'sqlite'}`,
    manual: (d) =>
      d.isUnfinished
        ? `Configure the store at ${d.place} and move it again`
        : `Use the store at ${d.place}: change store.url, or unset CLEO_DATABASE_URL if it names the old store`,
  }),
} satisfies Record<string, ErrorRow<never>>;

type StoreRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends StoreRows {}
}

addErrorRows(rows);
