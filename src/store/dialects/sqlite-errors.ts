import { basename } from 'node:path';
import { CleoError } from '#core/errors/error.ts';

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
