import { fstatSync, statSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { registry } from './core/index.generated.ts';
import { type Config, defaultConfig, locatesStore } from './core/model/config.ts';
import { type App, requireProject } from './dispatch/call-context.ts';
import { createPlatform } from './platform/platform.ts';
import type { Platform, Project } from './platform/port.ts';
import { toLocalDay } from './store/dialects/local-day.ts';
import { openSqlite } from './store/dialects/sqlite.ts';
import type { Store } from './store/port/store.ts';
import type { StoreLocation } from './store/store-admin.ts';
import { runCli, type Terminal } from './surfaces/cli/run.ts';
import { version } from './version.ts';

export interface AppOptions {
  /** Remembers the session that each agent starts or resumes, in a process that serves only its own agents. */
  isSticky?: boolean;
  /** Keeps one store open for concurrent calls, for as long as the process runs. */
  isServer?: boolean;
  /** Only reads: nothing is written, and no call belongs to a session. */
  isObserver?: boolean;
  /** Reports that the store of a fresh clone was built. By default the answer of the call has it as a warning. */
  notify?: (text: string) => void;
  /** Replaces the status line of a terminal; an empty text clears it. */
  showStatus?: (text: string) => void;
}

/** Builds the app for one project. All dependencies are wired here. */
export function createApp(platform: Platform, options: AppOptions = {}): App {
  const { isSticky = false, isServer = false, isObserver = false } = options;
  const opened = new Map<string, Promise<Store>>();
  const notices: string[] = [];
  const output: BuildOutput = { notify: (text) => notices.push(text), ...options };
  const openServerStore = async (): Promise<Store> => {
    try {
      const { openServerStore } = await import('./store/server-store.ts');
      // The next call opens the store that is configured then.
      return await openOrBuild(
        platform,
        output,
        (location) => openServerStore(location, isSticky || isObserver),
        () => opened.clear(),
      );
    } catch (error) {
      // The project or its configuration may exist the next time.
      opened.clear();
      throw error;
    }
  };
  let logFeed: ReturnType<App['getLogFeed']> | undefined;
  const app: App = {
    platform,
    ...(isSticky ? { agentSessions: new Map() } : {}),
    ...(isObserver ? { isObserver } : {}),
    registry: registry,
    notices,
    openStore(mode) {
      if (isObserver && mode === 'write') throw new Error('an observer does not write');
      // A writing connection also reads, so that one call uses one connection. A server's store has both.
      const key = isServer || opened.has('write') ? 'write' : mode;
      const store = opened.get(key) ?? (isServer ? openServerStore() : openStore(platform, mode, output));
      opened.set(key, store);
      return store;
    },
    wouldConnect: () =>
      opened.size === 0 && (isBehindServer(platform) || readAddress(platform, platform.config.load(requireProject(platform))) !== ''),
    hasSharedStore: () => isShared(platform),
    usesServer: () => isBehindServer(platform),
    storeAdmin: async (project, url) =>
      (await import('./store/store-admin.ts')).createStoreAdmin(await locateStore(platform, project, url)),
    toLocalDay,
    sqliteVersion: async () => (await import('./store/store-admin.ts')).readSqliteVersion(),
    async closeStores() {
      const stores = [...opened.values()];
      opened.clear();
      // A store that could not be opened needs no closing; its caller has the error.
      for (const store of stores) await (await store.catch(() => undefined))?.close();
    },
    getLogFeed() {
      logFeed ??= isBehindServer(platform)
        ? import('./dispatch/remote/server-feed.ts').then(({ createServerFeed }) => createServerFeed(app))
        : import('./dispatch/feed/log-feed.ts').then(({ createLogFeed }) => createLogFeed(app));
      return logFeed;
    },
  };
  return app;
}

const readAddress = ({ databaseUrl }: Platform, config: Config): string => databaseUrl ?? config['store.url'];

/** Checks for an address of PostgreSQL. The configuration need not be valid, because `config` repairs it. */
function isShared(platform: Platform): boolean {
  const { databaseUrl, config, getProject } = platform;
  const project = getProject();
  if (!project || isBehindServer(platform)) return false;
  const read = (path: string): string | undefined => config.inspect(path).values['store.url'];
  return Boolean(databaseUrl ?? read(config.projectFile(project)) ?? read(config.userFile()));
}

const isBehindServer = ({ config, getProject }: Platform): boolean => config.usesServer(getProject());

type BuildOutput = Required<Pick<AppOptions, 'notify'>> & Pick<AppOptions, 'showStatus'>;

const openStore = (platform: Platform, mode: 'read' | 'write', output: BuildOutput): Promise<Store> =>
  openOrBuild(platform, output, async ({ postgres, sqlite }) => {
    if (!postgres) return openSqlite({ ...sqlite, mode });
    const { openPostgres } = await import('./store/dialects/postgres.ts');
    return openPostgres(postgres);
  });

/** Opens the store. In a fresh clone it is built from the plan files first. */
async function openOrBuild(
  platform: Platform,
  { notify, showStatus }: BuildOutput,
  open: (location: StoreLocation) => Promise<Store>,
  leaveStore?: () => void,
): Promise<Store> {
  const project = requireProject(platform);
  const location = await locateStore(platform, project);
  (location.postgres ?? location.sqlite).onMoved = (notice) => {
    leaveStore?.();
    if (notice) notify(notice);
  };
  try {
    return await open(location);
  } catch (error) {
    const { buildFreshClone } = await import('./fresh-clone.ts');
    const notice = await buildFreshClone(error, platform, { project, location, showStatus });
    if (notice) notify(notice);
    return open(location);
  }
}

/** Checks for a setting that locates the store. A loop, because every call runs it for all keys that may be set. */
function isStoreLocated(config: Config): boolean {
  if (config === defaultConfig) return false;
  for (const key in config) if (config[key as keyof Config] !== '' && locatesStore(key)) return true;
  return false;
}

/** Returns the location of a store that may be opened. Throws E_PROJECT_UNTRUSTED before a file of the project is opened or a server is
 *  contacted that the user has not trusted. */
async function locateStore(platform: Platform, project: Project, address?: string): Promise<StoreLocation> {
  const config = platform.config.load(project);
  if (isStoreLocated(config)) await (await platform.loadTrust()).requireStore(project, address);
  else await platform.requireFolder(project);
  if (address === undefined && isBehindServer(platform))
    throw await (await import('./dispatch/remote/locate-server.ts')).createBehindServerError(platform);
  const url = address ?? readAddress(platform, config);
  const keep = config['backup.keep'];
  const sqlite: StoreLocation['sqlite'] = {
    path: resolve(project.folder, 'cleo.db'),
    busyTimeoutMs: config['store.busyTimeoutMs'],
    durability: config['store.durability'],
    newestBackup: () => platform.backups.list(project)[0]?.id,
    hasPlan: () => platform.files.isFolder(join(project.folder, 'plan', 'tasks')),
    beforeMigration: async ({ backupTo }) => {
      await platform.backups.create(project, { at: platform.now(), kind: 'automatic', keep }, backupTo);
    },
    afterCheckpoint: ({ backupTo }) => platform.backups.createDaily(project, { at: platform.now(), keep }, backupTo),
  };
  return url
    ? { sqlite, postgres: await (await import('./locate-postgres.ts')).locatePostgres(platform, project, config, url) }
    : { sqlite };
}

/** Writes everything before the process ends, retrying when a pipe is full. A closed pipe is an error only while streaming. */
export function writeAll(fd: number, text: string | Uint8Array, isStreaming = false): void {
  let written = 0;
  try {
    written = typeof text === 'string' ? writeSync(fd, text) : writeSync(fd, text);
  } catch (error) {
    if (!isPipeFull(error, isStreaming)) return;
  }
  if (written < text.length || (typeof text === 'string' && !isAscii(text))) writeRest(fd, text, written, isStreaming);
}

/** A function of its own, because a function that names `Buffer` or `Atomics` creates them when it is called, and most answers are written
 *  at once: 1 % of a start of the native build. */
function writeRest(fd: number, text: string | Uint8Array, start: number, isStreaming: boolean): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = start; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (!isPipeFull(error, isStreaming)) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Returns false if nobody reads the pipe any more. Throws every other error. */
function isPipeFull(error: unknown, isStreaming: boolean): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EPIPE' && !isStreaming) return false;
  if (code !== 'EAGAIN') throw error;
  return true;
}

const isAscii = (text: string): boolean => !/[^ -~\n]/.test(text);

/** Opens the project of the quickstart, which has the user folder in its own folder. */
export const createDemoApp = (folder: string, path: string | undefined, version: string): App =>
  createApp(createPlatform({ CLEO_ROOT: folder, CLEO_HOME: join(folder, '.cleo', 'home'), PATH: path }, folder, version));

/** Detects the terminal. Accessing `process.stdout` costs a seventh of a cold start, so pipes, files and `/dev/null` are recognized by
 *  `fstat`. */
async function detectScreen(): Promise<{ isTerminal: boolean; columns: number; rows?: number }> {
  const isTerminal = mayBeTerminal(1) && (await import('node:tty')).isatty(1);
  const columns = (isTerminal && process.stdout.columns) || Number(process.env.COLUMNS) || 80;
  return { isTerminal, columns, ...(isTerminal ? { rows: process.stdout.rows } : {}) };
}

function mayBeTerminal(fd: number): boolean {
  try {
    const file = fstatSync(fd);
    return file.isCharacterDevice() && (process.platform === 'win32' || file.rdev !== statSync('/dev/null').rdev);
  } catch {
    return false;
  }
}

/** Checks for an error of the disk that the answer is redirected to. */
const isDiskFailure = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');

export async function main(): Promise<void> {
  const { env } = process;
  const screen = await detectScreen();
  const isWatched = screen.isTerminal && mayBeTerminal(2);
  const mayColour = (isTerminal: boolean): boolean =>
    env.FORCE_COLOR ? !/^(0|false)$/.test(env.FORCE_COLOR) : isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  let isServer = false;
  const terminal: Terminal = {
    ...screen,
    // A terminal can be resized while `cleo work` runs.
    get columns() {
      return (screen.isTerminal && process.stdout.columns) || screen.columns;
    },
    hasColour: mayColour(screen.isTerminal),
    hasErrorColour: mayColour(isWatched),
    isWatched,
    isDebugging: env.CLEO_DEBUG === '1',
    format: env.CLEO_FORMAT,
    write: (text, isStreaming) => writeAll(1, text, isStreaming),
    writeError: (text) => writeAll(2, text),
    start: async (...words) => {
      isServer = true;
      return (await import('./servers.ts')).startServerProcess(...words);
    },
    // A demo project inherits only PATH from this environment.
    appAt: (folder) => createDemoApp(folder, env.PATH, version),
  };
  const fail = (error: unknown): number => {
    writeAll(2, terminal.isDebugging ? `${(error as Error).stack}\n` : `cleo: ${(error as Error)?.message ?? error}\n`);
    return isDiskFailure(error) ? 3 : 1;
  };
  // An exception that escapes from a callback would print a stack trace. Servers replace this handler.
  process.on('uncaughtException', (error) => process.exit(fail(error)));
  let exitCode: number;
  try {
    const notify = (text: string): void => writeAll(2, `cleo: ${text}\n`);
    const showStatus = (text: string): void => writeAll(2, `\r\u001b[K${text}`);
    const output = isWatched ? { notify, showStatus } : { notify };
    exitCode = await runCli(createApp(createPlatform(env, process.cwd(), version), output), process.argv.slice(2), terminal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'uv_cwd')
      process.exit(await (await import('./deleted-folder.ts')).runWithoutFolder(env, process.argv.slice(2), terminal));
    exitCode = fail(error);
  }
  // A natural exit would close the database, and closing a writing connection checkpoints its log.
  endProcess(exitCode, screen.isTerminal || isServer);
}

/** Ends the process. `process.exit` takes 0.1 ms to find out that nothing has to be done before: half a percent of a start. */
function endProcess(exitCode: number, usesStreams: boolean): never {
  if (process.listenerCount('exit') > 0) process.exit(exitCode);
  if (exitCode === 0 && !usesStreams) endAtOnce();
  return (process as typeof process & { reallyExit(code: number): never }).reallyExit(exitCode);
}

/** Ends the process with 0, if nothing has to be done before: Node restores the terminal and the flags of streams that it has opened, and
 *  writes what its options ask for. Ending threads and freeing memory, which Node also does, takes a twentieth of a start. */
function endAtOnce(): void {
  const { platform, arch, env, execArgv } = process;
  if (process.versions.bun || `${platform}-${arch}` !== 'linux-x64') return;
  if (execArgv.length > 0 || env.NODE_OPTIONS || env.NODE_V8_COVERAGE) return;
  try {
    // A library that ends the process when it is loaded (scripts/exit-library.mjs).
    process.dlopen({ exports: {} }, resolve(import.meta.filename, '../exit-linux-x64.node'));
  } catch {
    // The folder may forbid to run code, as may the options of Node.
  }
}
