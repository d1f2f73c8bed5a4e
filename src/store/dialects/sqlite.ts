import { statSync } from 'node:fs';
import { CleoError } from '#core/errors/error.ts';
import type { Store } from '../port.ts';
import { schemaVersion } from '../schema-version.ts';
import { readStore } from '../sql/read-store.ts';
import type { Db, Sql } from '../sql/sql.ts';
import { type SqliteDatabase, type SqliteDriver, type SqliteStatement, sqliteDriver } from './sqlite-driver.ts';
import { cantOpen, damaged, guarded, numberOf, type Place, readOnly, type SqliteError } from './sqlite-errors.ts';

export interface SqliteOptions extends Place {
  mode: 'read' | 'write';
  durability: 'full' | 'normal';
  /** Called before an older schema is migrated. */
  beforeMigration?: (store: Pick<Store, 'backupTo'>) => Promise<void>;
  /** Called when the log has grown and is emptied: every few dozen writes, with the write itself safe on disk. */
  onGrowth?: (store: Pick<Store, 'backupTo'>) => Promise<void>;
  /** Tries to begin until it can or its time is up. In a process that serves many, SQLite must not wait for a lock itself:
   *  it would hold up everyone. Without this it does, for `busyTimeoutMs`. */
  begin?: <T>(attempt: () => T, sinceMs: number) => Promise<T>;
  /** A driver that fails on demand, for tests. */
  driver?: SqliteDriver;
}

/** The embedded store. Opening never writes; a store opened to read leaves database and log byte-equal. */
export function openSqlite(options: SqliteOptions): Store {
  let identity = checkPresent(options);
  let database = guarded(options, () => connect(options));
  const statements = new Map<string, SqliteStatement>();
  const prepare = (statement: Sql): SqliteStatement => {
    const text = statement.parts.join('?');
    let prepared = statements.get(text);
    if (!prepared) {
      prepared = database.prepare(text);
      // Lists of many lengths make texts without end.
      if (statements.size === mostStatements) statements.delete(statements.keys().next().value!);
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
  const inTurn = <T>(work: (sinceMs: number) => Promise<T>): Promise<T> => {
    const sinceMs = options.begin ? performance.now() : 0;
    const mine = turn.then(() => work(sinceMs));
    turn = mine.catch(() => {});
    return mine;
  };
  const begin = (kind: string, check: () => void): void => {
    guarded(options, () => database.exec(kind));
    if (!isAt(options.path, identity) || (options.begin && frozen.has(database))) {
      // Another file has taken its place, as a restore does: what is written to the old one would be lost.
      rollBack(database);
      reopen();
      guarded(options, () => database.exec(kind));
    }
    try {
      check();
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };
  const transaction = async <T>(kind: string, sinceMs: number, work: () => Promise<T>, check = checkVersion): Promise<T> => {
    if (options.begin) await options.begin(() => begin(kind, check), sinceMs);
    else begin(kind, check);
    try {
      const result = await work();
      guarded(options, () => database.exec('commit'));
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };

  const reopen = (): void => {
    const found = checkPresent(options);
    const next = guarded(options, () => connect(options));
    statements.clear();
    // Closing does not touch the log that has its name by now: SQLite sees that the file is no longer in its place.
    database.close();
    database = next;
    identity = found;
    isChecked = false;
  };

  let isChecked = false;
  const checkVersion = (): void => {
    // A process that serves may outlive the schema it began with. Its check is also the read that takes the snapshot, so
    // that no later statement of the transaction finds a lock.
    if (isChecked && !options.begin) return;
    const found = guarded(options, () => versionOf({ prepare: (text) => prepare({ parts: [text], values: [] }) }));
    if (found === undefined) throw damaged(options, 'is not a cleo database');
    if (found > schemaVersion) throw new CleoError('E_STORE_NEWER', { found, known: schemaVersion });
    if (found < schemaVersion) throw new CleoError('E_STORE_OLDER', { found, known: schemaVersion });
    isChecked = true;
  };
  const backupTo = async (file: string): Promise<void> =>
    guarded(options, () => database.exec(`vacuum into '${file.replaceAll("'", "''")}'`));

  const store: Store = {
    read: (work) => inTurn((sinceMs) => transaction('begin', sinceMs, () => work(readStore(db)))),
    write: (stamp, work) =>
      inTurn(async (sinceMs) => {
        const { writeStore } = await import('../sql/write-store.ts');
        // IMMEDIATE takes the write lock now. A plain BEGIN takes it at the first write, where
        // another process's write makes it fail at once, busy timeout or not.
        const result = await transaction('begin immediate', sinceMs, () => work(writeStore(db, stamp)));
        if (keepLogShort(database, options)) await options.onGrowth?.({ backupTo });
        return result;
      }),
    migrate: () =>
      inTurn(async (sinceMs) => {
        const from = guarded(options, () => versionOf(database));
        if (from === undefined) throw damaged(options, 'is not a cleo database');
        if (from > schemaVersion) throw new CleoError('E_STORE_NEWER', { found: from, known: schemaVersion });
        if (from < schemaVersion) {
          await options.beforeMigration?.({ backupTo });
          const { migrateSqlite } = await import('./sqlite-schema.ts');
          await transaction(
            'begin immediate',
            sinceMs,
            async () => guarded(options, () => migrateSqlite(database, new Date().toISOString())),
            () => {},
          );
        }
        return { from, to: schemaVersion };
      }),
    backupTo: (file) => inTurn(() => backupTo(file)),
    close: () =>
      inTurn(async () => {
        statements.clear();
        // A driver that closes only once its statements are collected would leave the log as it is.
        if (options.mode === 'write') emptyLog(database, options);
        database.close();
      }),
  };
  return store;
}

const timeoutOf = ({ begin, busyTimeoutMs }: SqliteOptions): number => (begin ? 0 : busyTimeoutMs);

function connect(options: SqliteOptions): SqliteDatabase {
  const { path, mode, durability, driver = sqliteDriver() } = options;
  const { DatabaseSync } = driver;
  const timeout = timeoutOf(options);
  if (mode === 'write') {
    const database = new DatabaseSync(path, { timeout });
    database.exec(`pragma synchronous = ${durability}; pragma wal_autocheckpoint = 0`);
    return database;
  }
  const database = new DatabaseSync(path, { readOnly: true, timeout });
  try {
    database.prepare('select 1 from sqlite_schema limit 1').all();
    return database;
  } catch (error) {
    // In a folder that cannot be written the log's index cannot be made. Without a log the file is the whole truth.
    if (![cantOpen, readOnly].includes(numberOf(error as SqliteError) ?? 0) || logSize(path) > 0) throw error;
    database.close();
    const found = new DatabaseSync(`file:${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}?immutable=1`, { readOnly: true });
    frozen.add(found);
    return found;
  }
}

/** Connections that see the file as it was when they were opened. */
const frozen = new WeakSet<SqliteDatabase>();

/** The log is emptied when it has grown. SQLite's own way does not serve processes that write once: each reads the whole
 *  log anew when it opens and forgets how much of it was copied back, so that the log would never start over. */
function keepLogShort(database: SqliteDatabase, options: SqliteOptions): boolean {
  if ((statSync(`${options.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < longestLog) return false;
  emptyLog(database, options);
  return true;
}

/** Whoever reads just now keeps the log alive; the next write tries again. */
function emptyLog(database: SqliteDatabase, options: SqliteOptions): void {
  try {
    database.exec('pragma busy_timeout = 0; pragma wal_checkpoint(truncate)');
  } catch {
    // The write itself is safe in the log; a full disk or a busy reader only keeps the log longer.
  } finally {
    database.exec(`pragma busy_timeout = ${timeoutOf(options)}`);
  }
}

const longestLog = 1 << 20;
const mostStatements = 500;

const logSize = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

export function versionOf(database: Pick<SqliteDatabase, 'prepare'>): number | undefined {
  try {
    const [row] = database.prepare('select max(version) as version from schema_migrations').all();
    return row?.version === null || row === undefined ? undefined : Number(row.version);
  } catch (error) {
    if (numberOf(error as SqliteError) === 1) return undefined;
    throw error;
  }
}

interface Identity {
  ino: number;
  dev: number;
}

function isAt(path: string, { ino, dev }: Identity): boolean {
  try {
    const found = statSync(path);
    return found.ino === ino && found.dev === dev;
  } catch {
    return false;
  }
}

function checkPresent(options: SqliteOptions): Identity {
  const found = guarded(options, () => statSync(options.path, { throwIfNoEntry: false }));
  if (!found) throw damaged(options, 'the database is missing', true);
  if (!found.isFile()) throw damaged(options, 'is not a file');
  if (found.size === 0) throw damaged(options, 'the database is empty (0 bytes)');
  return found;
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    // Some failures (disk full, I/O) have rolled back already.
  }
}
