import '../../errors.ts';
import { join } from 'node:path';
import type { QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { seqOf } from '#core/model/scalars.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore, Store } from '#store/port.ts';
import { type FarId, farName, type Permission, type RegisteredProject, type Registry, type Unanswered } from '../../model/nexus.ts';
import { permits } from '../../rules/nexus-registry.ts';
import { registryErrors } from './registry.ts';

/** And whoever asks for a task of another project. */
export const reachErrors = [
  ...registryErrors,
  'E_NEXUS_INVALID_SYNTAX',
  'E_NEXUS_PROJECT_NOT_FOUND',
  'E_NEXUS_PERMISSION_DENIED',
  'E_NEXUS_QUERY_FAILED',
  'E_NOT_FOUND',
] as const;

export type Here = Pick<QueryContext, 'platform' | 'read' | 'openProjectStore'>;

/** Refuses (72) what a project does not allow to others. */
export function checkPermission({ name, permission }: RegisteredProject, needs: Permission): void {
  if (!permits(permission, needs)) throw new CleoError('E_NEXUS_PERMISSION_DENIED', { project: name, permission, needs });
}

/** The project of the caller, where it is registered: by its folder or, when it has moved, by its key. */
export function ownEntry(platform: Platform, { projects }: Registry): RegisteredProject | undefined {
  const own = platform.project();
  if (!own) return undefined;
  const key = keyOf(platform, own);
  return (
    projects.find(({ path }) => isSame(platform, path, own.root)) ??
    projects.find((project) => key !== '' && project.key === key && stateOf(platform, project) !== 'ok')
  );
}

/** Whether the project is still where it was registered. */
export function stateOf(platform: Platform, { path, key }: RegisteredProject): 'ok' | 'gone' | 'replaced' {
  const project = projectIn(path);
  if (!isFolder(platform, project.folder)) return 'gone';
  return keyOf(platform, project) === key ? 'ok' : 'replaced';
}

/** What may not even be looked at is not there for us. */
const isFolder = ({ files }: Platform, path: string): boolean => quietly(() => files.isFolder(path));
export const isSame = ({ files }: Platform, a: string, b: string): boolean => quietly(() => files.isSame(a, b));

function quietly(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}

export const projectIn = (path: string): Project => ({ root: path, folder: join(path, '.cleo') });

/** As its own file says; a file that cannot be read says nothing. */
export function keyOf({ config }: Platform, project: Project): string {
  try {
    return config.inspect(config.projectFile(project)).values['project.key'] ?? '';
  } catch {
    return '';
  }
}

export type Ask = <T>(entry: RegisteredProject, work: (store: ReadStore) => Promise<T>) => Promise<T>;

/** Asks the stores of registered projects, each opened once and closed at the end. What a project's store has against it is 77. */
export async function asking<T>(ctx: Here, registry: Registry, work: (ask: Ask) => Promise<T>): Promise<T> {
  const { platform } = ctx;
  const own = ownEntry(platform, registry);
  const opened = new Map<string, Promise<Pick<Store, 'read' | 'close'>>>();
  const ask: Ask = async (entry, question) => {
    // The store of the call itself: where it is, the environment may say; what it allows to others is not for its own.
    if (entry.name === own?.name) return ctx.read(question);
    checkPermission(entry, 'read');
    checkStanding(platform, entry);
    try {
      const store = opened.get(entry.name) ?? ctx.openProjectStore(projectIn(entry.path));
      opened.set(entry.name, store);
      return await (await store).read(question);
    } catch (error) {
      throw failed(platform, entry, error);
    }
  };
  try {
    return await work(ask);
  } finally {
    for (const store of opened.values()) await (await store.catch(() => undefined))?.close();
  }
}

/** Refuses (77) a project that is no longer where it was. */
export function checkStanding(platform: Platform, entry: RegisteredProject): void {
  const state = stateOf(platform, entry);
  if (state === 'ok') return;
  const problem =
    state === 'gone'
      ? `there is no project in ${entry.path} any more; where it has moved, register it from there`
      : `another project is in ${entry.path} by now`;
  throw new CleoError('E_NEXUS_QUERY_FAILED', { project: entry.name, problem, fix: 'cleo nexus list' });
}

/** A store that cannot be opened or read, as a refusal of the question. What the question itself refuses stays what it is. */
export function failed(platform: Platform, { name, path }: RegisteredProject, error: unknown): unknown {
  if (error instanceof CleoError && ![3, 5, 7, 8].includes(error.exitCode)) return error;
  const inner = error instanceof CleoError ? error.fix : 'cleo doctor';
  return new CleoError(
    'E_NEXUS_QUERY_FAILED',
    { project: name, problem: (error as Error).message, fix: elsewhere(platform, path, inner) },
    { cause: error },
  );
}

/** A command as that project runs it; an address in the environment is not for it. */
const elsewhere = ({ databaseUrl }: Platform, path: string, command: string): string =>
  command.startsWith('cleo ') ? `${databaseUrl ? 'CLEO_DATABASE_URL= ' : ''}CLEO_ROOT=${quote(path)} ${command}` : command;

/** Asks all of these; who gave no answer is told beside. */
export async function askAll<T>(
  ask: Ask,
  projects: RegisteredProject[],
  work: (store: ReadStore, project: RegisteredProject) => Promise<T>,
): Promise<{ answers: { project: RegisteredProject; answer: T }[]; unanswered: Unanswered[] }> {
  // At once: a server that does not answer is waited for, and there may be several.
  const all = await Promise.all(
    projects.map(async (project) => {
      try {
        return { project, answer: await ask(project, (store) => work(store, project)) };
      } catch (error) {
        if (!isUnanswered(error)) throw error;
        return { project: project.name, problem: error.message };
      }
    }),
  );
  return {
    answers: all.flatMap((each) => (typeof each.project === 'string' ? [] : [each as { project: RegisteredProject; answer: T }])),
    unanswered: all.flatMap((each) => (typeof each.project === 'string' ? [each as Unanswered] : [])),
  };
}

export const isUnanswered = (error: unknown): error is CleoError => error instanceof CleoError && [72, 77].includes(error.exitCode);

/** Those that may be read; the others are closed. */
export const readable = ({ projects }: Registry): RegisteredProject[] => projects.filter(({ permission }) => permits(permission, 'read'));
export const closedWarning = ({ projects }: Registry): string[] => {
  const closed = projects.filter(({ permission }) => !permits(permission, 'read')).map(({ name }) => name);
  return closed.length > 0 ? [`closed, and left out: ${closed.join(', ')}`] : [];
};

/** The refusal (4) for a task that a project does not have, with the nearest that it has. */
export async function notThere(store: ReadStore, far: FarId): Promise<CleoError> {
  const digits = String(seqOf(far.id));
  const [near] = [
    ...(await store.tasks.byIdPrefix(digits.slice(0, -1) || digits, { archived: 'both' }, { limit: 1, offset: 0 })).map(({ id }) => id),
    ...(await store.tasks.neighbours(far.id)),
  ];
  return new CleoError('E_NOT_FOUND', {
    id: farName(far),
    fix: near ? `cleo nexus query ${farName({ ...far, id: near })}` : 'cleo nexus list',
  });
}
