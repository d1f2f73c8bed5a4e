import { addErrorRows, type ErrorRow, quote, row } from '#core/errors/catalog.ts';

/** Errors of nexus. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_NEXUS_NOT_INITIALIZED: row<{ path: string }>({
    exit: 70,
    http: 409,
    message: (d) => `There is no project registry yet (${d.path})`,
    fix: () => 'cleo nexus init',
  }),
  E_NEXUS_PROJECT_NOT_FOUND: row<{ project: string; suggestions: string[]; fix?: string }>({
    exit: 71,
    http: 404,
    message: (d) =>
      `No project is registered as ${JSON.stringify(d.project)}${d.suggestions.length ? `; did you mean ${d.suggestions.join(' or ')}?` : ''}`,
    fix: (d) => d.fix ?? 'cleo nexus list',
    alternatives: (d) => [{ action: 'Register the project in this folder', command: `cleo nexus register --name ${quote(d.project)}` }],
  }),
  E_NEXUS_PERMISSION_DENIED: row<{ project: string; permission: string; needs: string }>({
    exit: 72,
    http: 403,
    message: (d) => `${d.project} has the permission ${d.permission}, but ${d.needs} is required; its owner can grant it`,
    // The fix only shows permissions: a fix that grants access would defeat the check.
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
    alternatives: () => [{ action: 'List all projects', command: 'cleo nexus list' }],
  }),
  E_NEXUS_REGISTRY_CORRUPT: row<{ path: string; problem: string; fix: string; manual: string; isNewer?: boolean }>({
    exit: 75,
    http: 500,
    message: (d) =>
      `${d.path}: ${d.problem}. The file was not changed; ${d.isNewer ? 'update cleo' : 'repair it, or move it aside and register the projects again'}`,
    fix: (d) => d.fix,
  }),
  E_NEXUS_PROJECT_EXISTS: row<{ name: string; path: string; problem: string; fix: string }>({
    exit: 76,
    http: 409,
    message: (d) => d.problem,
    fix: (d) => d.fix,
    alternatives: (d) => [{ action: `Unregister ${d.name}`, command: `cleo nexus unregister ${quote(d.name)}` }],
  }),
  E_NEXUS_QUERY_FAILED: row<{ project: string; problem: string; fix: string }>({
    exit: 77,
    http: 502,
    message: (d) => `${d.project} cannot be queried: ${d.problem}`,
    fix: (d) => d.fix,
    alternatives: () => [{ action: 'List all projects', command: 'cleo nexus list' }],
  }),
  E_NEXUS_GRAPH_ERROR: row<{ path: string[]; fix: string }>({
    exit: 78,
    http: 409,
    message: (d) => `This would create a dependency cycle across projects: ${d.path.join(' → ')}`,
    fix: (d) => d.fix,
    alternatives: () => [{ action: 'Show dependencies between projects', command: 'cleo nexus graph' }],
  }),
  /** Start of a task that depends on an open task of another project. */
  E_NEXUS_WAITING: row<{ taskId: string; open: string[] }>({
    exit: 6,
    http: 422,
    code: () => 'E_VALIDATION_DEPENDS',
    message: (d) => `${d.taskId} cannot be started before ${d.open.join(', ')} ${d.open.length === 1 ? 'is' : 'are'} done`,
    fix: (d) => `cleo nexus deps ${d.taskId}`,
    alternatives: (d) => [
      { action: 'Look again whether it is done', command: 'cleo nexus sync' },
      ...d.open
        .slice(0, 3)
        .map((on) => ({ action: `Remove the dependency on ${on}`, command: `cleo nexus deps remove ${d.taskId} ${on}` })),
    ],
  }),
} satisfies Record<string, ErrorRow<never>>;

type NexusRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends NexusRows {}
}

addErrorRows(rows);
