import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { keepLogsAtExit } from './sqlite-bun.ts';

/** The part of `node:sqlite` that is used here; `@photostructure/sqlite` has the same interface. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  all(...values: (string | number | null)[]): Record<string, string | number | null>[];
  run(...values: (string | number | null)[]): unknown;
}

export interface SqliteDriver {
  DatabaseSync: new (path: string, options: { readOnly?: boolean; timeout?: number }) => SqliteDatabase;
  /** Copies the pages into another file in one transaction of that file, and waits for its write lock. */
  backup?: (source: SqliteDatabase, path: string, options: { rate: number }) => Promise<number>;
}

/** Earlier versions can lose committed writes when one connection checkpoints while another writes. */
const minSafeVersion = [3, 51, 3];

export function loadSqliteDriver(): SqliteDriver {
  const builtIn = process.versions.sqlite;
  if (builtIn && isAtLeast(builtIn, minSafeVersion)) return loadBuiltIn();
  try {
    return (
      loadPrebuilt() ??
      (process.getBuiltinModule('node:module').createRequire(import.meta.filename)('@photostructure/sqlite') as SqliteDriver)
    );
  } catch (error) {
    throw new CleoError('E_DEPENDENCY_ERROR', {
      tool: 'SQLite',
      problem: `neither node:sqlite ≥ ${minSafeVersion.join('.')} nor @photostructure/sqlite can be loaded (${(error as Error).message})`,
      manual: 'Update Node.js, or install cleo again',
    });
  }
}

function loadBuiltIn(): SqliteDriver {
  const driver = suppressWarnings(() => process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as SqliteDriver);
  // The build for Node leaves this branch out.
  if (process.versions.bun) {
    bunDriver ??= keepLogsAtExit(driver);
    return bunDriver;
  }
  return driver;
}

let bunDriver: SqliteDriver | undefined;

/** Loads the `.node` file from where npm puts it. This is faster than the package's wrapper by a quarter of a Node start. */
function loadPrebuilt(): SqliteDriver | undefined {
  const folder = dirname(import.meta.filename);
  for (const modules of ['../node_modules', '../..', '../../node_modules', '../../../node_modules'])
    for (const libc of ['glibc', 'musl']) {
      const path = resolve(
        folder,
        modules,
        '@photostructure',
        'sqlite',
        'prebuilds',
        `${process.platform}-${process.arch}`,
        `@photostructure+sqlite.${libc}.node`,
      );
      if (!existsSync(path)) continue;
      try {
        const addon = { exports: {} };
        process.dlopen(addon, path);
        return addon.exports as SqliteDriver;
      } catch {
        // Try the other libc, then the wrapper, which searches more folders.
      }
    }
  return undefined;
}

/** Loads a module without Node's warning on stderr that `node:sqlite` is experimental. */
function suppressWarnings<T>(load: () => T): T {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}

function isAtLeast(version: string, min: number[]): boolean {
  const parts = version.split('.').map(Number);
  for (let i = 0; i < min.length; i++) if ((parts[i] ?? 0) !== min[i]) return (parts[i] ?? 0) > min[i]!;
  return true;
}

/** The facts about a database that its errors name. */
export interface SqliteFile {
  path: string;
  busyTimeoutMs: number;
  /** The backup to restore a damaged store from. Called only for an error. */
  newestBackup: () => string | undefined;
  /** True if the store can be rebuilt from plan files. Called only for an error. */
  hasPlan?: () => boolean;
}

export interface SqliteError extends Error {
  code?: string;
  errcode?: number;
}

export const readOnly = 8;
export const cantOpen = 14;

/** SQLite's primary error code. Errors that `all` of @photostructure/sqlite throws have only a message. */
export const getErrorNumber = ({ errcode, message }: SqliteError): number | undefined =>
  errcode === undefined ? getErrorNumbers()[message] : errcode & 0xff;

/** A function, so that a successful call does not create the table. */
const getErrorNumbers = (): Record<string, number> => ({
  'access permission denied': 3,
  'database is locked': 5,
  'database table is locked': 6,
  'attempt to write a readonly database': readOnly,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': cantOpen,
  'file is not a database': 26,
});

export function convertErrors<T>(options: SqliteFile, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fromSqliteError(error, options);
  }
}

export function fromSqliteError(error: unknown, options: SqliteFile): unknown {
  const { code, message } = error as SqliteError;
  const errcode = getErrorNumber(error as SqliteError);
  const { path } = options;
  const problem = getFileProblems()[code ?? ''];
  if (problem) return new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo doctor' }, { cause: error });
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) return error;
  switch (errcode) {
    case 5:
    case 6:
    case 15:
      return new CleoError('E_LOCK_TIMEOUT', { waitedMs: options.busyTimeoutMs, path }, { cause: error });
    case 11:
    case 26:
      return createDamagedError(options, errcode === 26 ? 'is not a database' : 'the database is damaged');
    case 13:
      return new CleoError(
        'E_FILE_ERROR',
        { path, problem: 'the disk is full; free some space, nothing was changed', fix: 'cleo doctor' },
        { cause: error },
      );
    case 3:
    case readOnly:
    case 10:
    case cantOpen:
    case 23:
      return new CleoError(
        'E_FILE_ERROR',
        { path, problem: `${message}; check permissions and disk, nothing was changed`, fix: 'cleo doctor' },
        { cause: error },
      );
    default:
      return error;
  }
}

const getFileProblems = (): Record<string, string> => ({
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full; free some space, nothing was changed',
  EDQUOT: 'the disk quota is used up; nothing was changed',
  EFBIG: 'the file-size limit is reached; nothing was changed',
  EIO: 'the disk reports an error',
});

export function createDamagedError(options: SqliteFile, problem: string, missing = false): CleoError {
  const backup = options.newestBackup();
  return new CleoError('E_STORE_DAMAGED', {
    path: options.path,
    problem,
    ...(missing ? { missing } : {}),
    ...(backup ? { backup: basename(backup) } : {}),
    ...(options.hasPlan?.() ? { hasPlan: true } : {}),
  });
}
