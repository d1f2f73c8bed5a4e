import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { CleoError } from '../../errors/error.ts';
import type { Store } from '../port.ts';
import { schemaVersion } from '../schema-version.ts';
import { readStore } from '../sql/read-store.ts';
import type { Db, Sql } from '../sql/sql.ts';
import { type SqliteDatabase, type SqliteDriver, type SqliteStatement, sqliteDriver } from './sqlite-driver.ts';

export interface SqliteOptions {
  path: string;
  mode: 'read' | 'write';
  busyTimeoutMs: number;
  durability: 'full' | 'normal';
  /** Where a damaged store can be restored from; asked only when it is needed. */
  newestBackup: () => string | undefined;
  /** Called before an older schema is migrated. */
  beforeMigration?: (store: { backupTo(file: string): Promise<void> }) => Promise<void>;
  /** A driver that fails on demand, for tests. */
  driver?: SqliteDriver;
}

/** The embedded store. Opening never writes; a store opened to read leaves database and log byte-equal. */
export function openSqlite(options: SqliteOptions): Store {
  checkPresent(options);
  const database = guarded(options, () => connect(options));
  const statements = new Map<string, SqliteStatement>();
  const prepare = (statement: Sql): SqliteStatement => {
    const text = statement.parts.join('?');
    let prepared = statements.get(text);
    if (!prepared) {
      prepared = database.prepare(text);
      statements.set(text, prepared);
    }
    return prepared;
  };
  const db: Db = {
    engine: 'sqlite',
    all: async (statement) => guarded(options, () => prepare(statement).all(...statement.values)),
    run: async (statement) => {
      guarded(options, () => prepare(statement).run(...statement.values));
    },
  };

  // One connection holds one transaction at a time; calls in one process take turns.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work);
    turn = mine.catch(() => {});
    return mine;
  };
  const transaction = async <T>(begin: string, work: () => Promise<T>): Promise<T> => {
    guarded(options, () => database.exec(begin));
    try {
      const result = await work();
      guarded(options, () => database.exec('commit'));
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };

  let isChecked = false;
  const checkVersion = (): void => {
    if (isChecked) return;
    const found = guarded(options, () => versionOf(database));
    if (found === undefined) throw damaged(options, 'is not a cleo database');
    if (found > schemaVersion) throw new CleoError('E_STORE_NEWER', { found, known: schemaVersion });
    if (found < schemaVersion) throw new CleoError('E_STORE_OLDER', { found, known: schemaVersion });
    isChecked = true;
  };
  const backupTo = async (file: string): Promise<void> =>
    guarded(options, () => database.exec(`vacuum into '${file.replaceAll("'", "''")}'`));

  const store: Store = {
    read: (work) =>
      inTurn(() =>
        transaction('begin', async () => {
          checkVersion();
          return work(readStore(db));
        }),
      ),
    write: (stamp, work) =>
      inTurn(async () => {
        const { writeStore } = await import('../sql/write-store.ts');
        // IMMEDIATE takes the write lock now. A plain BEGIN takes it at the first write, where
        // another process's write makes it fail at once, busy timeout or not.
        const result = await transaction('begin immediate', async () => {
          checkVersion();
          return work(writeStore(db, stamp));
        });
        keepLogShort(database, options);
        return result;
      }),
    migrate: () =>
      inTurn(async () => {
        const from = guarded(options, () => versionOf(database));
        if (from === undefined) throw damaged(options, 'is not a cleo database');
        if (from > schemaVersion) throw new CleoError('E_STORE_NEWER', { found: from, known: schemaVersion });
        if (from < schemaVersion) {
          await options.beforeMigration?.({ backupTo });
          await transaction('begin immediate', () => migrate(database, new Date().toISOString()));
        }
        return { from, to: schemaVersion };
      }),
    backupTo: (file) => inTurn(() => backupTo(file)),
    close: () =>
      inTurn(async () => {
        statements.clear();
        database.close();
      }),
  };
  return store;
}

/** Makes a new database, whole or not at all; false if there is one already. */
export async function createSqlite(path: string, at: string): Promise<boolean> {
  const fresh = `${path}.new-${process.pid}`;
  try {
    closeSync(openSync(fresh, 'wx'));
    const database = new (sqliteDriver().DatabaseSync)(fresh, {});
    database.exec(
      'begin immediate; create table schema_migrations (version integer primary key, checksum text not null, applied_at text not null)',
    );
    await migrate(database, at);
    database.exec('commit; pragma journal_mode = wal');
    database.close();
    return place(fresh, path);
  } catch (error) {
    throw asCleoError(error, { path, mode: 'write', busyTimeoutMs: 0, durability: 'full', newestBackup: () => undefined });
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** A link never replaces what is there, so of two at once one wins; where links are not to be had, a rename. */
function place(fresh: string, path: string): boolean {
  try {
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(path)) return false;
    renameSync(fresh, path);
  }
  return true;
}

function connect({ path, mode, busyTimeoutMs, durability, driver = sqliteDriver() }: SqliteOptions): SqliteDatabase {
  const { DatabaseSync } = driver;
  if (mode === 'write') {
    const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    database.exec(`pragma synchronous = ${durability}; pragma wal_autocheckpoint = 0`);
    return database;
  }
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  try {
    database.prepare('select 1 from sqlite_schema').all();
    return database;
  } catch (error) {
    // In a folder that cannot be written the log's index cannot be made. Without a log the file is the whole truth.
    if (![cantOpen, readOnly].includes(numberOf(error as SqliteError) ?? 0) || hasLog(path)) throw error;
    database.close();
    return new DatabaseSync(`file:${encodeURI(path)}?immutable=1`, { readOnly: true });
  }
}

/** The log is emptied when it has grown. SQLite's own way does not serve processes that write once: each reads the whole
 *  log anew when it opens and forgets how much of it was copied back, so that the log would never start over. */
function keepLogShort(database: SqliteDatabase, { path, busyTimeoutMs }: SqliteOptions): void {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < longestLog) return;
  // Whoever reads just now keeps the log alive; the next write tries again.
  try {
    database.exec('pragma busy_timeout = 0; pragma wal_checkpoint(truncate)');
  } catch {
    // The write itself is safe in the log; a full disk or a busy reader only keeps the log longer.
  } finally {
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  }
}

const longestLog = 1 << 20;

const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

function versionOf(database: SqliteDatabase): number | undefined {
  try {
    const [row] = database.prepare('select max(version) as version from schema_migrations').all();
    return row?.version === null || row === undefined ? undefined : Number(row.version);
  } catch (error) {
    if (numberOf(error as SqliteError) === 1) return undefined;
    throw error;
  }
}

async function migrate(database: SqliteDatabase, at: string): Promise<void> {
  const { migrations } = await import('../migrations/all.ts');
  const { checksum, statementsFor } = await import('../migrations/migration.ts');
  const done = versionOf(database) ?? 0;
  for (const migration of migrations.filter((m) => m.version > done)) {
    database.exec(statementsFor(migration, 'sqlite'));
    database
      .prepare('insert into schema_migrations (version, checksum, applied_at) values (?, ?, ?)')
      .run(migration.version, checksum(migration), at);
  }
}

function checkPresent(options: SqliteOptions): void {
  const found = guarded(options, () => statSync(options.path, { throwIfNoEntry: false }));
  if (!found) throw damaged(options, 'the database is missing', true);
  if (!found.isFile()) throw damaged(options, 'is not a file');
  if (found.size === 0) throw damaged(options, 'the database is empty (0 bytes)');
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    // Some failures (disk full, I/O) have rolled back already.
  }
}

interface SqliteError extends Error {
  code?: string;
  errcode?: number;
}

const readOnly = 8;
const cantOpen = 14;

/** SQLite's number of an error. What `all` throws in @photostructure/sqlite has only the words. */
const numberOf = ({ errcode, message }: SqliteError): number | undefined => errcode ?? numbers[message];

const numbers: Record<string, number> = {
  'access permission denied': 3,
  'database is locked': 5,
  'database table is locked': 6,
  'attempt to write a readonly database': readOnly,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': cantOpen,
  'file is not a database': 26,
};

function guarded<T>(options: SqliteOptions, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asCleoError(error, options);
  }
}

function asCleoError(error: unknown, options: SqliteOptions): unknown {
  const { code, message } = error as SqliteError;
  const errcode = numberOf(error as SqliteError);
  const { path } = options;
  const problem = fileProblems[code ?? ''];
  if (problem) return new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo doctor' }, { cause: error });
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) return error;
  switch (errcode & 0xff) {
    case 5:
    case 6:
      return new CleoError('E_LOCK_TIMEOUT', { waitedMs: options.busyTimeoutMs, path }, { cause: error });
    case 11:
    case 26:
      return damaged(options, errcode === 26 ? 'is not a database' : 'the database is damaged');
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

const fileProblems: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full; free some space, nothing was changed',
  EDQUOT: 'the disk quota is used up; nothing was changed',
  EFBIG: 'the file-size limit is reached; nothing was changed',
  EIO: 'the disk reports an error',
};

function damaged(options: SqliteOptions, problem: string, missing = false): CleoError {
  const backup = options.newestBackup();
  return new CleoError('E_STORE_DAMAGED', {
    path: options.path,
    problem,
    ...(missing ? { missing } : {}),
    ...(backup ? { backup: basename(backup) } : {}),
  });
}
