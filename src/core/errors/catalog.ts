import type { LockHolder } from '../model/lock-holder.ts';

/** A command as the call of a gateway, ready to be sent by a client without a shell. */
export interface GatewayCall {
  tool: 'cleo_query' | 'cleo_mutate';
  domain: string;
  operation: string;
  params: unknown;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
}

export function toGatewayCall(name: string, kind: 'query' | 'mutate' | 'mutation' | 'job', params: unknown): GatewayCall {
  const [domain = '', ...rest] = name.split('.');
  return { tool: kind === 'query' ? 'cleo_query' : 'cleo_mutate', domain, operation: rest.join('.'), params };
}

/** Another way out of an error, in addition to `fix`. */
export interface Alternative {
  action: string;
  command: string;
}

/** One error of the catalog: exit code, HTTP status, message and fix. */
export interface ErrorRow<D> {
  exit: number;
  /** Computes the exit code if it comes from another program. */
  getExit?: (d: D) => number;
  http: number;
  message: (d: D) => string;
  /** A command that runs as printed and resolves the error. */
  fix: (d: D) => string;
  alternatives?: (d: D) => Alternative[];
  /** Says what a person must do if no call solves the error: install a tool, edit a file. */
  manual?: (d: D) => string;
  /** Computes the published code if it depends on the facts. */
  code?: (d: D) => string;
}

const forPerson = 'Ask a person to run: ';
/** Formats the fix of a caller that may not run the command itself. */
export const askPerson = (command: string): string => forPerson + command;
export const isForPerson = (fix: string): boolean => fix.startsWith(forPerson);

export const row = <D>(spec: ErrorRow<D>): ErrorRow<D> => spec;

/** Quotes one word of a command line for a POSIX shell. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function commandLine(words: string[]): string {
  return words.map(quote).join(' ');
}

const list = (ids: string[]): string => ids.join(', ');
const toUpperSnake = (field: string): string =>
  field
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z]+/g, '_')
    .toUpperCase();

/** A path in a call can be longer than any that exists. */
const pathRow = <D extends { path: string; problem: string; fix: string }>(exit: number): ErrorRow<D> =>
  row<D>({ exit, http: 500, message: (d) => `${d.path.slice(0, 1000)}: ${d.problem}`, fix: (d) => d.fix });

const endMismatch = (sessionId = ''): string => commandLine(['cleo', 'session', 'end', '--session', sessionId, '--note', 'Scope mismatch']);

const rebuild = 'cleo sync --rebuild';

/** One message for all missing permissions, so that it does not reveal what exists. */
const needsToken = 'A token that allows this is required';
const askForToken = 'Ask the person who runs the server for a token that allows this';

/** Creates the error rows: code → exit code, HTTP status, message and fix. Throwing code only adds the facts.
 *  A function, so that a successful call creates none of them. */
const createRows = () =>
  ({
    E_GENERAL_ERROR: row<{ problem: string }>({ exit: 1, http: 500, message: (d) => `Unexpected: ${d.problem}`, fix: () => 'cleo doctor' }),

    E_INVALID_INPUT: row<{ problem: string; fix: string; field?: string; suggestions?: string[] }>({
      exit: 2,
      http: 400,
      message: (d) => d.problem,
      fix: (d) => d.fix,
    }),
    E_INVALID_OPERATION: row<{ operation: string; suggestions: string[]; fix?: string }>({
      exit: 2,
      http: 404,
      message: (d) =>
        `There is no operation ${JSON.stringify(d.operation)}${d.suggestions.length ? `; did you mean ${d.suggestions.join(' or ')}?` : ''}`,
      fix: (d) => d.fix ?? (d.suggestions[0] ? `cleo help ${quote(d.suggestions[0])}` : 'cleo help'),
    }),

    E_FILE_ERROR: pathRow<{ problem: string; path: string; fix: string; manual?: string }>(3),
    E_STORE_DAMAGED: row<{ path: string; problem: string; missing?: boolean; isServer?: true; backup?: string; hasPlan?: boolean }>({
      exit: 3,
      http: 500,
      // Backups of a server are made there.
      message: (d) =>
        `${d.path}: ${d.problem}${d.isServer ? '; nothing was changed' : `. ${d.backup ? `The newest backup is ${d.backup}` : 'There is no backup'}; the file was left as it is`}`,
      fix: (d) => (d.backup ? `cleo backup restore ${quote(d.backup)}` : d.hasPlan ? rebuild : d.missing ? 'cleo init' : 'cleo doctor'),
      alternatives: (d) => (d.backup && d.hasPlan ? [{ action: 'Rebuild the store from .cleo/plan', command: rebuild }] : []),
    }),

    E_NOT_FOUND: row<{ id: string; what?: string; prefix?: string; suggestions?: string[]; fix?: string }>({
      exit: 4,
      http: 404,
      message: (d) => `There is no ${d.what ?? 'task'} ${d.id}`,
      fix: (d) => d.fix ?? (d.prefix ? `cleo find --id ${quote(d.prefix)}` : 'cleo help find'),
      alternatives: (d) => (d.suggestions ?? []).map((id) => ({ action: `Show ${id}`, command: `cleo show ${id}` })),
    }),

    E_DEPENDENCY_ERROR: row<{ tool: string; problem: string; fix?: string; manual?: string; checks?: object[] }>({
      exit: 5,
      http: 500,
      message: (d) => `${d.tool}: ${d.problem}`,
      fix: (d) => d.fix ?? 'cleo version',
    }),

    E_VALIDATION: row<{ field: string; problem: string; fix: string; manual?: string }>({
      exit: 6,
      http: 422,
      code: (d) => `E_VALIDATION_${toUpperSnake(d.field)}`,
      message: (d) => `${d.field} ${d.problem}`,
      fix: (d) => d.fix,
    }),
    E_VALIDATION_TRANSITION: row<{ taskId: string; from: string; to: string; via: string }>({
      exit: 6,
      http: 422,
      message: (d) => `${d.taskId} cannot change from ${d.from} to ${d.to}`,
      fix: (d) => d.via,
    }),
    E_VALIDATION_DEPENDS: row<{ taskId: string; open: string[]; act: string }>({
      exit: 6,
      http: 422,
      message: (d) => `${d.taskId} cannot be ${d.act} before ${list(d.open)} ${d.open.length === 1 ? 'is' : 'are'} done`,
      fix: (d) => `cleo focus set ${d.open[0]}`,
      alternatives: (d) => d.open.slice(0, 3).map((id) => ({ action: `See what ${id} needs`, command: `cleo deps ${id}` })),
    }),

    E_LOCK_TIMEOUT: row<{ waitedMs: number; path: string; problem?: string; holder?: LockHolder }>({
      exit: 7,
      http: 503,
      message: (d) => `${d.problem ?? `Another process held the write lock for more than ${d.waitedMs} ms`}; nothing was changed`,
      fix: () => 'cleo doctor',
      alternatives: () => [{ action: 'Wait longer', command: 'cleo config set store.busyTimeoutMs 60000' }],
    }),

    E_NOT_INITIALIZED: row<{ folder: string; root?: string | undefined; isClone?: boolean }>({
      exit: 8,
      http: 500,
      message: (d) =>
        d.isClone
          ? 'This clone has no task database; the plan is not in git here'
          : `No .cleo folder in ${d.root ? `${d.root}, which CLEO_ROOT names` : `${d.folder} or above it`}`,
      fix: () => 'cleo init',
      manual: (d) =>
        d.isClone
          ? 'Start an empty plan with cleo init, or publish the existing one where it is: cleo setup git && cleo sync, then commit and pull'
          : '',
    }),
    E_CONFIG_ERROR: pathRow<{ path: string; problem: string; fix: string; valid?: string[]; manual?: string }>(8),
    E_PROJECT_UNTRUSTED: row<{
      problem: string;
      root: string;
      fix: string;
      name?: string;
      value?: unknown;
      file?: string;
      before?: unknown;
    }>({
      exit: 8,
      http: 403,
      message: (d) => d.problem,
      fix: (d) => d.fix,
      manual: (d) => `${isForPerson(d.fix) ? d.fix : askPerson(d.fix)}, in ${d.root}; it lists what the project runs and connects to`,
    }),
    E_STORE_NEWER: row<{ found: number; known: number }>({
      exit: 8,
      http: 500,
      message: (d) => `The store was written by a newer cleo (schema ${d.found}; this one knows ${d.known}); update cleo`,
      fix: () => 'cleo version',
      manual: () => 'Update cleo to the version that wrote the store',
    }),
    E_STORE_OLDER: row<{ found: number; known: number }>({
      exit: 8,
      http: 500,
      message: (d) => `The store has schema ${d.found}; this cleo needs ${d.known}`,
      fix: () => 'cleo upgrade',
    }),

    E_PARENT_NOT_FOUND: row<{ parent: string; fix: string }>({
      exit: 10,
      http: 404,
      message: (d) => `The parent ${d.parent} does not exist`,
      fix: (d) => d.fix,
      alternatives: () => [{ action: 'See possible parents', command: 'cleo list --type epic' }],
    }),
    E_DEPTH_EXCEEDED: row<{ parent: string }>({
      exit: 11,
      http: 422,
      message: (d) => `${d.parent} is a subtask at the third level; nothing can be added below it`,
      fix: (d) => `cleo show ${d.parent}`,
    }),
    E_SIBLING_LIMIT: row<{ parent: string; max: number }>({
      exit: 12,
      http: 409,
      message: (d) => `${d.parent} already has ${d.max} open children`,
      fix: (d) => `cleo list --parent ${d.parent}`,
      alternatives: () => [{ action: 'Remove the limit', command: 'cleo config set hierarchy.maxSiblings 0' }],
    }),
    E_INVALID_PARENT_TYPE: row<{ child: string; parent: string; parentType: string; allowed: string; fix: string }>({
      exit: 13,
      http: 422,
      message: (d) => `A ${d.child} cannot be placed under the ${d.parentType} ${d.parent}; allowed: ${d.allowed}`,
      fix: (d) => d.fix,
    }),
    E_INVALID_RELATION: row<{ from: string; to: string; fix?: string }>({
      exit: 13,
      http: 422,
      message: (d) => `${d.from} and ${d.to} cannot be parent and child and related at the same time`,
      fix: (d) => d.fix ?? `cleo show ${d.from}`,
    }),
    E_CIRCULAR_REFERENCE: row<{ path: string[]; what: 'depends' | 'parent' | 'supersedes'; look?: string; fix?: string }>({
      exit: 14,
      http: 422,
      message: (d) => `That would create a cycle: ${d.path.join(' → ')}`,
      fix: (d) => d.fix ?? (d.look === undefined ? 'cleo tree' : d.what === 'parent' ? `cleo tree ${d.look}` : `cleo deps ${d.look}`),
    }),
    E_HAS_CHILDREN: row<{ taskId: string; children: string[]; act: 'complete' | 'delete' | 'cancel'; retry?: string }>({
      exit: 16,
      http: 409,
      message: (d) =>
        `${d.taskId} has ${d.act === 'delete' ? '' : 'open '}children: ${list(d.children.slice(0, 10))}${d.children.length > 10 ? ' …' : ''}`,
      fix: (d) => d.retry ?? (d.act === 'complete' ? `cleo list --parent ${d.taskId}` : `cleo ${d.act} ${d.taskId} --cascade`),
    }),
    E_TASK_COMPLETED: row<{ taskId: string; act: string; fix: string }>({
      exit: 17,
      http: 409,
      message: (d) => `${d.taskId} is done; ${d.act} is not possible`,
      fix: (d) => d.fix,
    }),

    E_CHECKSUM_MISMATCH: row<{ what: string; problem: string; fix: string; seq?: number; level?: 'broken' }>({
      exit: 20,
      http: 409,
      message: (d) => `${d.what}: ${d.problem}`,
      fix: (d) => d.fix,
    }),
    E_ID_COLLISION: row<{ id: string; fix: string; problem?: string }>({
      exit: 22,
      http: 409,
      message: (d) => d.problem ?? `The id ${d.id} is taken`,
      fix: (d) => d.fix,
    }),

    E_SESSION_NOT_FOUND: row<{ sessionId: string; suggestions?: string[]; fix?: string }>({
      exit: 31,
      http: 404,
      message: (d) => `There is no session ${d.sessionId}`,
      fix: (d) => d.fix ?? 'cleo session list',
      alternatives: (d) => (d.suggestions ?? []).map((id) => ({ action: `Show ${id}`, command: `cleo session show ${id}` })),
    }),
    E_TASK_NOT_IN_SCOPE: row<{
      taskId?: string;
      what?: string;
      scope: string;
      sessionId?: string;
      epicId?: string;
      better?: string;
      fix?: string;
    }>({
      exit: 34,
      http: 409,
      message: (d) => `${d.what ?? d.taskId} is outside ${d.scope}${d.sessionId ? `, the scope of the session ${d.sessionId}` : ''}`,
      fix: (d) => d.fix ?? endMismatch(d.sessionId),
      alternatives: (d) => [
        ...(d.sessionId ? [{ action: 'See the scope of the session', command: `cleo session status --session ${d.sessionId}` }] : []),
        ...(d.taskId ? [{ action: 'See what the task is part of', command: `cleo show ${d.taskId}` }] : []),
        ...(d.sessionId
          ? [
              { action: 'End the session', command: endMismatch(d.sessionId) },
              { action: 'Start one with the right scope', command: `cleo session start --scope ${d.better} --auto-focus --name Work` },
            ]
          : []),
      ],
    }),
    E_FOCUS_REQUIRED: row<{ act: string; suggestion?: string | undefined; focus: string; fix?: string; look?: string; retry?: string }>({
      exit: 38,
      http: 409,
      message: (d) => `No task was given to ${d.act}, and no task is in focus`,
      fix: (d) => d.fix ?? (d.suggestion ? d.focus : (d.look ?? 'cleo next')),
      alternatives: (d) => [
        ...(d.suggestion ? [{ action: `Focus ${d.suggestion}`, command: d.focus }] : []),
        ...(d.suggestion && d.retry ? [{ action: 'Then repeat the call', command: d.retry }] : []),
      ],
    }),
    E_UNAUTHORIZED: row<{ problem?: string; command?: string }>({
      exit: 64,
      http: 401,
      message: (d) => d.problem ?? needsToken,
      fix: (d) => askPerson(d.command ?? 'cleo token create --name client --scope query'),
      manual: () => askForToken,
    }),
    E_FORBIDDEN: row<{ fix: string; problem?: string; manual?: string; scope?: string; reason?: 'secret' | 'proof' }>({
      exit: 64,
      http: 403,
      message: (d) => d.problem ?? needsToken,
      fix: (d) => d.fix,
      manual: (d) => (isForPerson(d.fix) ? d.fix : askForToken),
    }),
  }) satisfies Record<string, ErrorRow<never>>;

/** Error rows of the domains. Each `errors.ts` adds its own by declaration merging, so that this file imports no domain. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the domains
export interface DomainRows {}

type ErrorCatalog = ReturnType<typeof createRows> & DomainRows;
export type ErrorCode = keyof ErrorCatalog;
export type ErrorFacts<C extends ErrorCode> = Parameters<ErrorCatalog[C]['message']>[0] & Record<string, unknown>;

let catalog: ErrorCatalog | undefined;
let domainRows: Record<string, ErrorRow<never>>[] = [];
/** Returns the rows of this file and those of the domains that are loaded. */
export const getErrorCatalog = (): ErrorCatalog => {
  catalog ??= createRows() as ErrorCatalog;
  Object.assign(catalog, ...domainRows);
  domainRows = [];
  return catalog;
};

/** Adds the errors of a domain when its code is loaded, so that other calls do not pay for them. The catalog is created by the first
 *  error. */
export function addErrorRows(more: Record<string, ErrorRow<never>>): void {
  domainRows.push(more);
}
