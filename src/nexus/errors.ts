import { addRows, quote } from '#core/errors/catalog.ts';
import { type Row, row } from '#core/errors/row.ts';

const list = (names: string[]): string => names.join(', ');

/** Refusals of what goes beyond one project. Whoever throws one imports this file; else the catalogue does not know it. */
const rows = {
  E_NEXUS_NOT_INITIALIZED: row<{ path: string }>({
    exit: 70,
    http: 409,
    message: (d) => `There is no registry of projects yet (${d.path})`,
    fix: () => 'cleo nexus init',
  }),
  E_NEXUS_PROJECT_NOT_FOUND: row<{ project: string; near: string[]; fix?: string }>({
    exit: 71,
    http: 404,
    message: (d) =>
      `No project is registered as ${JSON.stringify(d.project)}${d.near.length ? `; did you mean ${d.near.join(' or ')}?` : ''}`,
    fix: (d) => d.fix ?? 'cleo nexus list',
    alternatives: (d) => [{ action: 'Register the one in this folder', command: `cleo nexus register --name ${quote(d.project)}` }],
  }),
  E_NEXUS_PERMISSION_DENIED: row<{ project: string; permission: string; needs: string }>({
    exit: 72,
    http: 403,
    message: (d) =>
      `${d.project} has the permission ${d.permission}; this needs ${d.needs}, which whoever looks after ${d.project} has to grant`,
    // A look, not a key: a lock that opens itself is none.
    fix: () => 'cleo nexus permissions',
  }),
  E_NEXUS_INVALID_SYNTAX: row<{ query: string; problem: string; fix: string; syntax: string }>({
    exit: 73,
    http: 400,
    message: (d) => `${JSON.stringify(d.query)} ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_NEXUS_SYNC_FAILED: row<{ failed: { project: string; problem: string }[]; isPartial?: boolean; fix: string }>({
    exit: 74,
    http: 502,
    message: (d) =>
      `${d.isPartial ? 'Not everything was' : 'Nothing was'} synced: ${d.failed.map((f) => `${f.project}: ${f.problem}`).join('; ')}`,
    fix: (d) => d.fix,
    alternatives: () => [{ action: 'See all projects', command: 'cleo nexus list' }],
  }),
  E_NEXUS_REGISTRY_CORRUPT: row<{ path: string; problem: string; fix: string; isNewer?: boolean }>({
    exit: 75,
    http: 500,
    message: (d) =>
      `${d.path}: ${d.problem}. The file was left as it is; ${d.isNewer ? 'update cleo' : 'mend it by hand, or put it aside and register the projects again'}`,
    fix: (d) => d.fix,
  }),
  E_NEXUS_PROJECT_EXISTS: row<{ name: string; path: string; problem: string; fix: string }>({
    exit: 76,
    http: 409,
    message: (d) => d.problem,
    fix: (d) => d.fix,
    alternatives: (d) => [{ action: `Take ${d.name} out`, command: `cleo nexus unregister ${quote(d.name)}` }],
  }),
  E_NEXUS_QUERY_FAILED: row<{ project: string; problem: string; fix: string }>({
    exit: 77,
    http: 502,
    message: (d) => `${d.project} cannot be asked: ${d.problem}`,
    fix: (d) => d.fix,
    alternatives: () => [{ action: 'See all projects', command: 'cleo nexus list' }],
  }),
  E_NEXUS_GRAPH_ERROR: row<{ path: string[]; fix: string }>({
    exit: 78,
    http: 409,
    message: (d) => `That would close a circle across projects: ${d.path.join(' → ')}`,
    fix: (d) => d.fix,
    alternatives: () => [{ action: 'See how the projects depend on each other', command: 'cleo nexus graph' }],
  }),
  /** A start that a task of another project stands in the way of. */
  E_NEXUS_WAITING: row<{ taskId: string; open: string[] }>({
    exit: 6,
    http: 422,
    code: () => 'E_VALIDATION_DEPENDS',
    message: (d) => `${d.taskId} cannot be started before ${list(d.open)} ${d.open.length === 1 ? 'is' : 'are'} done`,
    fix: () => 'cleo nexus sync',
    alternatives: (d) => [
      { action: `See what ${d.taskId} waits for`, command: `cleo nexus deps ${d.taskId}` },
      ...d.open.slice(0, 3).map((on) => ({ action: `Wait for ${on} no longer`, command: `cleo nexus deps remove ${d.taskId} ${on}` })),
    ],
  }),
} satisfies Record<string, Row<never>>;

type NexusRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends NexusRows {}
}

addRows(rows);
