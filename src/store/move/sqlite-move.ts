import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CleoError } from '#core/errors/error.ts';
import { readSchema, type SqliteOptions, toRestoreLock } from '../dialects/sqlite.ts';
import { moveAside, removeUnfinished, toUnfinishedPath } from '../dialects/sqlite-build.ts';
import { convertErrors, createDamagedError, loadSqliteDriver, type SqliteDatabase, type SqliteFile } from '../dialects/sqlite-driver.ts';
import { waitForRestore } from '../dialects/sqlite-restore-lock.ts';
import { createSchema, publishFile } from '../dialects/sqlite-schema.ts';
import { checkSchemaVersion } from '../schema-version.ts';
import { type CopiedTable, copyTables, verifyCopy } from './copy-tables.ts';
import { formatMarker, markerVersion, parseMarker } from './marker.ts';
import type { LockedStore, MoveTarget, StoreIdentity } from './move-store.ts';
import { createSqliteTables } from './sqlite-tables.ts';
import type { Tables } from './tables.ts';

type SqliteLocation = Omit<SqliteOptions, 'mode'>;

const pollMs = 25;

/** Takes the write lock of the present store until the move ends: other writers wait, readers do not. */
export async function lockSqlite(options: SqliteLocation): Promise<LockedStore> {
  if (!existsSync(options.path)) throw createDamagedError(options, 'the database is missing', true);
  const database = convertErrors(options, () => new (loadSqliteDriver().DatabaseSync)(options.path, { timeout: 0 }));
  const exec = (text: string): void => convertErrors(options, () => database.exec(text));
  try {
    exec('pragma synchronous = full');
    await beginWrite(options, exec);
    const { version, marker } = convertErrors(options, () => readSchema(database)) ?? {};
    if (version === undefined) throw createDamagedError(options, 'is not a cleo database');
    checkSchemaVersion(version);
    return {
      tables: createSqliteTables(database, options),
      identity: { ...readIdentity(database), ...(marker ? { marker: parseMarker(String(marker)) } : {}) },
      async commitMoved(moved) {
        convertErrors(options, () => setMarker(database, formatMarker(moved), moved.at));
        exec('commit');
      },
      end: async () => closeDatabase(database),
    };
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}

/** Rolls back before it closes: one of the drivers ends a transaction only when all its statements are garbage-collected. */
function closeDatabase(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    // The transaction has ended.
  }
  database.close();
}

/** Waits for the write lock without blocking the calls of a server in this process. */
async function beginWrite(options: SqliteLocation, exec: (text: string) => void): Promise<void> {
  const untilMs = performance.now() + options.busyTimeoutMs;
  for (;;) {
    try {
      exec('begin immediate');
      if (!existsSync(toRestoreLock(options.path))) return;
      exec('rollback');
      await waitForRestore(options);
    } catch (error) {
      if (!(error instanceof CleoError && error.row === 'E_LOCK_TIMEOUT') || performance.now() > untilMs) throw error;
      await sleep(pollMs);
    }
  }
}

function readIdentity(database: SqliteDatabase): Pick<StoreIdentity, 'replica' | 'head'> {
  const [facts] = database.prepare(`select value from store_facts where name = 'replica'`).all();
  const [head] = database.prepare('select seq, hash from audit_head').all();
  return { replica: String(facts?.value), ...(head ? { head: { seq: Number(head.seq), hash: String(head.hash) } } : {}) };
}

function setMarker(database: SqliteDatabase, marker: string, at: string): void {
  database
    .prepare('insert or replace into schema_migrations (version, checksum, applied_at) values (?, ?, ?)')
    .run(markerVersion, marker, at);
}

export function createSqliteTarget(options: SqliteLocation): MoveTarget {
  const { path } = options;
  const open = (settings: { readOnly?: boolean }): SqliteDatabase =>
    new (loadSqliteDriver().DatabaseSync)(path, { ...settings, timeout: options.busyTimeoutMs });
  const use = <T>(database: SqliteDatabase, work: (database: SqliteDatabase) => T): T => {
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    async inspect() {
      if (!existsSync(path)) return undefined;
      return convertErrors(options, () =>
        use(open({ readOnly: true }), (database) => {
          const schema = readSchema(database);
          if (!schema) throw createDamagedError(options, 'is not a cleo database');
          return { ...readIdentity(database), ...(schema.marker ? { marker: parseMarker(String(schema.marker)) } : {}) };
        }),
      );
    },
    async build(present, marker, { copy, verify }) {
      removeUnfinished(path);
      const [working, fresh] = [toUnfinishedPath(path), toUnfinishedPath(path)];
      try {
        await fillFile(working, { ...options, path: working }, fresh, async (database, file) => {
          createSchema(database, marker.at);
          await copy(createSqliteTables(database, file));
          setMarker(database, formatMarker(marker), marker.at);
        });
        await finishFile(fresh, { ...options, path: fresh }, verify);
        // The copy of a move that was interrupted is not in use.
        if (present?.marker?.state === 'incoming') removeFiles(path);
        const aside = present?.marker?.state === 'moved' ? moveAside(options, marker.at, 'moved') : undefined;
        if (!convertErrors(options, () => publishFile(fresh, path)))
          throw new CleoError('E_FILE_ERROR', { path, problem: 'another process has just created it', fix: 'cleo doctor' });
        syncFolder(path);
        return aside;
      } finally {
        removeFiles(working);
        removeFiles(fresh);
      }
    },
    activate: async () =>
      convertErrors(options, () =>
        use(open({}), (database) =>
          database.exec(`pragma synchronous = full; delete from schema_migrations where version = ${markerVersion}`),
        ),
      ),
  };
}

/** The old store is marked next, so that the new name must survive a power failure. Windows cannot sync a folder. */
function syncFolder(path: string): void {
  try {
    const handle = openSync(dirname(path), 'r');
    fsyncSync(handle);
    closeSync(handle);
  } catch {
    // The file itself is on disk.
  }
}

const removeFiles = (path: string): void => {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
};

/** Fills a file that no other process knows, and copies its content to `fresh`. One of the drivers keeps a file open until all statements
 *  are garbage-collected, and SQLite would share the log of that connection with those that open the file under its final name. The
 *  working file is removed after a crash, so that it is neither synced nor logged. */
async function fillFile(
  path: string,
  file: SqliteFile,
  fresh: string,
  fill: (database: SqliteDatabase, file: SqliteFile) => Promise<void>,
): Promise<void> {
  convertErrors(file, () => closeSync(openSync(path, 'wx', 0o600)));
  const database = new (loadSqliteDriver().DatabaseSync)(path, {});
  const exec = (text: string): void => convertErrors(file, () => database.exec(text));
  try {
    exec('pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; begin');
    await fill(database, file);
    exec('commit');
    // SQLite writes into an empty file, which has the right mode.
    convertErrors(file, () => closeSync(openSync(fresh, 'a', 0o600)));
    exec(`vacuum into '${fresh.replaceAll("'", "''")}'`);
  } finally {
    database.close();
  }
}

/** Verifies the file that gets the final name, and syncs it to disk. */
async function finishFile(path: string, file: SqliteFile, verify: (tables: Tables) => Promise<void>): Promise<void> {
  await verifyFile(path, file, verify);
  convertErrors(file, () => {
    const database = new (loadSqliteDriver().DatabaseSync)(path, {});
    database.exec('pragma journal_mode = wal');
    database.close();
    const handle = openSync(path, 'r+');
    fsyncSync(handle);
    closeSync(handle);
  });
}

async function verifyFile(path: string, file: SqliteFile, verify: (tables: Tables) => Promise<void>): Promise<void> {
  const reader = convertErrors(file, () => new (loadSqliteDriver().DatabaseSync)(path, { readOnly: true }));
  try {
    await verify(createSqliteTables(reader, file));
  } finally {
    reader.close();
  }
}

/** Copies the tables of another store into an empty file, which becomes a database with the schema of that version. */
export async function dumpToSqlite(
  source: Tables,
  { file: path, version, at }: { file: string; version: number; at: string },
  busyTimeoutMs: number,
): Promise<void> {
  const file: SqliteFile = { path, busyTimeoutMs, newestBackup: () => undefined };
  const working = toUnfinishedPath(path);
  let copied: CopiedTable[] = [];
  try {
    await fillFile(working, file, path, async (database) => {
      createSchema(database, at, version);
      copied = await copyTables(source, createSqliteTables(database, file));
    });
    await verifyFile(path, file, (tables) => verifyCopy(tables, copied));
  } finally {
    removeFiles(working);
  }
}
