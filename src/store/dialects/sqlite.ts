import { existsSync, statSync } from 'node:fs';
import type { OnMoved } from '../move/check-marker.ts';
import type { Store } from '../port/store.ts';
import { checkSchemaVersion } from '../schema-version.ts';
import { createReadStore } from '../sql/read-store.ts';
import type { Db, Sql, SqlRow } from '../sql/sql.ts';
import {
  cantOpen,
  convertErrors,
  createDamagedError,
  getErrorNumber,
  loadSqliteDriver,
  readOnly,
  type SqliteDatabase,
  type SqliteDriver,
  type SqliteError,
  type SqliteFile,
  type SqliteStatement,
} from './sqlite-driver.ts';

export interface SqliteOptions extends SqliteFile {
  mode: 'read' | 'write';
  durability: 'full' | 'normal';
  /** Called before an older schema is migrated. */
  beforeMigration?: (store: Pick<Store, 'backupTo'>) => Promise<void>;
  /** Called after every dozenth write or so, when the log was copied into the database. The write itself is on disk. */
  afterCheckpoint?: (store: Pick<Store, 'backupTo'>) => Promise<void>;
  /** Retries `attempt` until it succeeds or times out. A server passes this, because a wait inside SQLite would block all its
   *  calls. By default SQLite waits for `busyTimeoutMs`. */
  begin?: <T>(attempt: () => T, sinceMs: number) => Promise<T>;
  onMoved?: OnMoved | undefined;
  /** For tests: a driver that fails on demand. */
  driver?: SqliteDriver;
}

/** The embedded store. Opening never writes; a store opened to read leaves database and log byte-equal. */
export function openSqlite(options: SqliteOptions): Store {
  let identity = checkFile(options);
  let database = convertErrors(options, () => connect(options));
  const statements = new Map<string, SqliteStatement>();
  const prepare = (statement: Sql): SqliteStatement => {
    const text = statement.parts.join('?');
    let prepared = statements.get(text);
    if (!prepared) {
      prepared = database.prepare(text);
      // Lists of different lengths give different texts, so the cache needs a limit.
      if (statements.size === maxStatements) statements.delete(statements.keys().next().value!);
      statements.set(text, prepared);
    }
    return prepared;
  };
  const db: Db = {
    engine: 'sqlite',
    all: async (statement) => convertErrors(options, () => prepare(statement).all(...statement.values)),
    run: async (statement) => {
      convertErrors(options, () => prepare(statement).run(...statement.values));
    },
  };

  // A connection has one transaction at a time, so the calls of a process run one after another.
  let queue: Promise<unknown> = Promise.resolve();
  const enqueue = <T>(work: (sinceMs: number) => Promise<T>): Promise<T> => {
    const sinceMs = options.begin ? performance.now() : 0;
    const result = queue.then(() => work(sinceMs));
    queue = result.catch(() => {});
    return result;
  };
  const begin = (kind: string, check: () => void): void => {
    convertErrors(options, () => database.exec(kind));
    if (!isAt(options.path, identity) || (options.begin && frozen.has(database))) {
      // The file was replaced, for example by a restore. Writes to the old file would be lost.
      rollBack(database);
      reopen();
      convertErrors(options, () => database.exec(kind));
    }
    try {
      check();
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };
  const runTransaction = async <T>(kind: string, sinceMs: number, work: () => Promise<T>, check = checkVersion): Promise<T> => {
    if (options.begin) await options.begin(() => begin(kind, check), sinceMs);
    else begin(kind, check);
    if (kind !== 'begin' && existsSync(toRestoreLock(options.path))) {
      rollBack(database);
      await (await import('./sqlite-restore-lock.ts')).waitForRestore(options);
      return runTransaction(kind, sinceMs, work, check);
    }
    try {
      if (marker) (await import('../move/check-marker.ts')).checkMarker(String(marker), kind !== 'begin', options.onMoved);
      const result = await work();
      convertErrors(options, () => database.exec('commit'));
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };

  const reopen = (): void => {
    const found = checkFile(options);
    const next = convertErrors(options, () => connect(options));
    statements.clear();
    // SQLite notices that the file was replaced, so closing does not touch the log of the new one.
    database.close();
    database = next;
    identity = found;
  };

  let marker: SqlRow[string] | undefined;
  const checkVersion = (): void => {
    // The schema can change while a process runs, and the store can be moved, so every transaction checks it. The check is also the read
    // that takes the snapshot, so that no later statement of the transaction waits for a lock.
    const found = convertErrors(options, () => readSchema({ prepare: (text) => prepare({ parts: [text], values: [] }) }));
    if (!found) throw createDamagedError(options, 'is not a cleo database');
    checkSchemaVersion(found.version);
    marker = found.marker;
  };
  /** Lets the next write overwrite a long log from its start: a synced write that makes the file longer takes 0.15 ms longer. SQLite's own
   *  checkpoint does not work for processes that write once: each reads the whole log when it opens and does not know how much was copied
   *  back, so that the log would never restart. So the process that writes next does it. */
  const restartLongLog = async (sinceMs: number): Promise<boolean> => {
    const [log] = convertErrors(options, () => prepare({ parts: ['pragma wal_checkpoint(noop)'], values: [] }).all());
    if (Number(log?.log) * frameBytes < maxLogBytes) return false;
    // Nothing is copied into a database that this version cannot write, or that is no longer at this path.
    await runTransaction('begin', sinceMs, async () => {});
    copyLog(database, options, 'restart');
    return true;
  };
  const backupTo = async (file: string): Promise<void> =>
    convertErrors(options, () => database.exec(`vacuum into '${file.replaceAll("'", "''")}'`));

  const store: Store = {
    read: (work) => enqueue((sinceMs) => runTransaction('begin', sinceMs, () => work(createReadStore(db)))),
    write: (stamp, work) =>
      enqueue(async (sinceMs) => {
        const { runWrite } = await import('../sql/write-store.ts');
        const lengthBefore = getLogSize(options.path);
        const hasRestarted = lengthBefore >= maxLogBytes && (await restartLongLog(sinceMs));
        // IMMEDIATE takes the write lock now. A plain BEGIN takes it at the first write, where
        // another process's write makes it fail at once, busy timeout or not.
        const result = await runTransaction('begin immediate', sinceMs, () => runWrite(db, stamp, work));
        const isTruncated = isOverlong(getLogSize(options.path), lengthBefore);
        if (isTruncated) copyLog(database, options, 'truncate');
        if (isTruncated || hasRestarted) await options.afterCheckpoint?.({ backupTo });
        return result;
      }),
    migrate: () =>
      enqueue(async (sinceMs) =>
        (await import('./sqlite-upgrade.ts')).upgradeSqlite(database, options, {
          backupTo,
          write: (work) => runTransaction('begin immediate', sinceMs, work, () => {}),
        }),
      ),
    backupTo: (file) => enqueue(() => backupTo(file)),
    close: () =>
      enqueue(async () => {
        statements.clear();
        // A driver that closes only when its statements are garbage-collected would leave the log.
        if (options.mode === 'write') copyLog(database, options, 'truncate');
        database.close();
      }),
  };
  return store;
}

const getTimeout = ({ begin, busyTimeoutMs }: SqliteOptions): number => (begin ? 0 : busyTimeoutMs);

function connect(options: SqliteOptions): SqliteDatabase {
  const { path, mode, durability, driver = loadSqliteDriver() } = options;
  const { DatabaseSync } = driver;
  const timeout = getTimeout(options);
  if (mode === 'write') {
    const database = new DatabaseSync(path, { timeout });
    // A short call rarely needs a page again that it has written, so it writes changed pages to the log instead of holding 2 MB of them.
    const cache = options.begin ? '' : '; pragma cache_size = -256';
    database.exec(`pragma synchronous = ${durability}; pragma wal_autocheckpoint = 0; pragma temp_store = memory${cache}`);
    return database;
  }
  const database = new DatabaseSync(path, { readOnly: true, timeout });
  try {
    database.exec('pragma temp_store = memory; select 1 from sqlite_schema limit 1');
    return database;
  } catch (error) {
    // SQLite cannot create the log's index in a read-only folder. Without a log the file alone is complete.
    if (![cantOpen, readOnly].includes(getErrorNumber(error as SqliteError) ?? 0) || getLogSize(path) > 0) throw error;
    database.close();
    const immutable = new DatabaseSync(`file:${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}?immutable=1`, { readOnly: true });
    frozen.add(immutable);
    return immutable;
  }
}

/** Connections that never see later changes of the file. */
const frozen = new WeakSet<SqliteDatabase>();

/** Copies the log into the database. After `restart`, the next write of this process begins the log anew; after `truncate`, it is empty. */
function copyLog(database: SqliteDatabase, options: SqliteOptions, mode: 'restart' | 'truncate'): void {
  try {
    database.exec(`pragma busy_timeout = 0; pragma wal_checkpoint(${mode})`);
  } catch {
    // All writes are safe in the log. After a full disk or during another read the log stays; the next write tries again.
  } finally {
    database.exec(`pragma busy_timeout = ${getTimeout(options)}`);
  }
}

/** The file that exists while a backup is restored. */
export const toRestoreLock = (path: string): string => `${path}.restoring`;

const maxStatements = 500;

/** A page in the log, with its header. */
const frameBytes = 4096 + 24;
const maxLogBytes = 1 << 20;
/** A usual write makes the log longer by less. */
const maxUsualBytes = 1 << 18;

/** Checks whether a log has to be emptied after a write: a large write made it long, or it could not be restarted, because others were reading.
 *  Each reader would read all of it. */
const isOverlong = (length: number, lengthBefore: number): boolean =>
  length >= maxLogBytes && (length - lengthBefore > maxUsualBytes || length > maxLogBytes + maxUsualBytes);

const getLogSize = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

/** Reads the version of the schema, and the marker of a store that takes part in a move. */
export function readSchema(database: Pick<SqliteDatabase, 'prepare'>): { version: number; marker: SqlRow[string] | undefined } | undefined {
  try {
    const [row] = database
      .prepare('select max(version) as version, max(case version when -1 then checksum end) as marker from schema_migrations')
      .all();
    return typeof row?.version === 'number' ? { version: row.version, marker: row.marker } : undefined;
  } catch (error) {
    if (getErrorNumber(error as SqliteError) === 1) return undefined;
    throw error;
  }
}

interface FileIdentity {
  ino: number;
  dev: number;
}

function isAt(path: string, { ino, dev }: FileIdentity): boolean {
  try {
    const found = statSync(path);
    return found.ino === ino && found.dev === dev;
  } catch {
    return false;
  }
}

function checkFile(options: SqliteOptions): FileIdentity {
  const found = convertErrors(options, () => statSync(options.path, { throwIfNoEntry: false }));
  if (!found) throw createDamagedError(options, 'the database is missing', true);
  if (!found.isFile()) throw createDamagedError(options, 'is not a file');
  if (found.size === 0) throw createDamagedError(options, 'the database is empty (0 bytes)');
  return found;
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    // Some failures (disk full, I/O) have already rolled back.
  }
}
