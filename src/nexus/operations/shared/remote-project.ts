import { join } from 'node:path';
import type { QueryContext, StoreStep } from '#core/define.ts';
import { askPerson, isForPerson, quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { toTaskNumber } from '#core/model/scalars.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore, Store } from '#store/port/store.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import '../../errors.ts';
import {
  formatRemoteId,
  type Permission,
  type ProjectRegistry,
  type RegisteredProject,
  type RemoteTaskId,
  type RemoteTaskRef,
  type Unanswered,
} from '../../model/nexus.ts';
import { hasPermission } from '../../rules/nexus-registry.ts';
import { registryErrors } from './registry.ts';

/** Errors of operations that query another project. */
export const remoteErrors = [
  ...registryErrors,
  'E_NEXUS_INVALID_SYNTAX',
  'E_NEXUS_PROJECT_NOT_FOUND',
  'E_NEXUS_PERMISSION_DENIED',
  'E_NEXUS_QUERY_FAILED',
  'E_NOT_FOUND',
] as const;

type RemoteContext = Pick<QueryContext, 'platform' | 'runStep' | 'openProjectStore'>;

/** Throws E_NEXUS_PERMISSION_DENIED if the project does not grant the permission. */
function requirePermission({ name, permission }: RegisteredProject, needs: Permission): void {
  if (!hasPermission(permission, needs)) throw new CleoError('E_NEXUS_PERMISSION_DENIED', { project: name, permission, needs });
}

/** Finds the caller's project in the registry, by its folder or, after a move, by its key. */
export function findOwnEntry(platform: Platform, { projects }: ProjectRegistry): RegisteredProject | undefined {
  const own = platform.getProject();
  if (!own) return undefined;
  const key = readProjectKey(platform, own);
  return (
    projects.find(({ path }) => isSameFolder(platform, path, own.root)) ??
    projects.find((project) => key !== '' && project.key === key && getProjectState(platform, project) !== 'ok')
  );
}

/** Checks whether the project is still in its registered folder. */
export function getProjectState(platform: Platform, { path, key }: RegisteredProject): 'ok' | 'gone' | 'replaced' {
  const project = toProject(path);
  if (!isFolder(platform, project.folder)) return 'gone';
  return readProjectKey(platform, project) === key ? 'ok' : 'replaced';
}

// A path without access counts as missing.
const isFolder = ({ files }: Platform, path: string): boolean => tryCheck(() => files.isFolder(path));
export const isSameFolder = ({ files }: Platform, a: string, b: string): boolean => tryCheck(() => files.isSameFile(a, b));

function tryCheck(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}

export const toProject = (path: string): Project => ({ root: path, folder: join(path, '.cleo') });

/** Reads the key from the project's own configuration; empty if that cannot be read. */
export function readProjectKey({ config }: Platform, project: Project): string {
  try {
    return config.inspect(config.projectFile(project)).values['project.key'] ?? '';
  } catch {
    return '';
  }
}

export type AskProject = <P, R>(entry: RegisteredProject, step: StoreStep<P, R>, params: P) => Promise<R>;

/** Runs `work` with access to the stores of registered projects. Each store is opened once and closed at the end. A store that cannot
 *  be read is E_NEXUS_QUERY_FAILED. */
export async function withRemoteStores<T>(
  ctx: RemoteContext,
  registry: ProjectRegistry,
  work: (ask: AskProject) => Promise<T>,
): Promise<T> {
  const { platform } = ctx;
  const own = findOwnEntry(platform, registry);
  const opened = new Map<string, Promise<Pick<Store, 'read' | 'close'>>>();
  const ask: AskProject = async (entry, step, params) => {
    // The caller's own project: the environment may name its store, and its permission applies only to others.
    if (entry.name === own?.name) return ctx.runStep(step, params);
    requirePermission(entry, 'read');
    requireInPlace(platform, entry);
    try {
      const store = opened.get(entry.name) ?? ctx.openProjectStore(toProject(entry.path));
      opened.set(entry.name, store);
      return await (await store).read((reads) => step.run({ store: reads } as never, params));
    } catch (error) {
      throw toQueryError(platform, entry, error);
    }
  };
  try {
    return await work(ask);
  } finally {
    for (const store of opened.values()) await (await store.catch(() => undefined))?.close();
  }
}

/** Throws E_NEXUS_QUERY_FAILED if the project is no longer in its folder. */
export function requireInPlace(platform: Platform, entry: RegisteredProject): void {
  const state = getProjectState(platform, entry);
  if (state === 'ok') return;
  const problem =
    state === 'gone'
      ? `there is no longer a project in ${entry.path}; if it has moved, register it from its new folder`
      : `${entry.path} now contains another project`;
  throw new CleoError('E_NEXUS_QUERY_FAILED', { project: entry.name, problem, fix: 'cleo nexus list' });
}

/** Converts an error of opening or reading a store to E_NEXUS_QUERY_FAILED. Errors of the query itself stay unchanged. */
export function toQueryError(platform: Platform, { name, path }: RegisteredProject, error: unknown): unknown {
  if (error instanceof CleoError && ![3, 5, 7, 8].includes(error.exitCode)) return error;
  const inner = error instanceof CleoError ? error.fix : 'cleo doctor';
  return new CleoError(
    'E_NEXUS_QUERY_FAILED',
    { project: name, problem: (error as Error).message, fix: formatRemoteCommand(platform, path, inner) },
    { cause: error },
  );
}

/** Formats a command for another project. It clears CLEO_DATABASE_URL, which names the store of the caller's project. */
function formatRemoteCommand({ databaseUrl }: Platform, path: string, command: string): string {
  const variables = `${databaseUrl ? 'CLEO_DATABASE_URL= ' : ''}CLEO_ROOT=${quote(path)} `;
  if (isForPerson(command)) return askPerson(variables + command.slice(askPerson('').length));
  return command.startsWith('cleo ') ? variables + command : command;
}

/** Queries several projects and reports those that could not be queried. */
export async function askAll<P, R>(
  ask: AskProject,
  projects: RegisteredProject[],
  step: StoreStep<P, R>,
  toParams: (project: RegisteredProject) => P,
): Promise<{ answers: { project: RegisteredProject; answer: R }[]; unanswered: Unanswered[] }> {
  // In parallel, because several servers may be slow or time out.
  const all = await Promise.all(
    projects.map(async (project) => {
      try {
        return { answers: [{ project, answer: await ask(project, step, toParams(project)) }], unanswered: [] };
      } catch (error) {
        if (!isUnanswered(error)) throw error;
        return { answers: [], unanswered: [{ project: project.name, problem: error.message }] };
      }
    }),
  );
  return { answers: all.flatMap(({ answers }) => answers), unanswered: all.flatMap(({ unanswered }) => unanswered) };
}

export const isUnanswered = (error: unknown): error is CleoError => error instanceof CleoError && [72, 77].includes(error.exitCode);

export const listReadable = ({ projects }: ProjectRegistry): RegisteredProject[] =>
  projects.filter(({ permission }) => hasPermission(permission, 'read'));

/** Warns about closed projects and about those that could not be queried. */
export function warnSkipped({ projects }: ProjectRegistry, unanswered: Unanswered[] = []): string[] {
  const closed = projects.filter(({ permission }) => !hasPermission(permission, 'read')).map(({ name }) => name);
  return [
    ...(closed.length > 0 ? [`skipped closed projects: ${closed.join(', ')}`] : []),
    ...unanswered.map(({ project, problem }) => `${project} could not be queried: ${problem}`),
  ];
}

export const toTaskRef = (project: string, { id, title, status }: TaskHit): RemoteTaskRef => ({ project, id, title, status });

/** Creates E_NOT_FOUND for a task of another project, with the nearest existing id. */
export async function createRemoteNotFoundError(store: ReadStore, far: RemoteTaskId): Promise<CleoError> {
  const digits = String(toTaskNumber(far.id));
  const [near] = [
    ...(await store.tasks.findByIdPrefix(digits.slice(0, -1) || digits, { archived: 'both' }, { limit: 1, offset: 0 })).map(({ id }) => id),
    ...(await store.tasks.findNeighbours(far.id)),
  ];
  return new CleoError('E_NOT_FOUND', {
    id: formatRemoteId(far),
    fix: near ? `cleo nexus query ${formatRemoteId({ ...far, id: near })}` : 'cleo nexus list',
  });
}
