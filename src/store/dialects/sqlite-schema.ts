import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { migrations } from '../migrations/all.ts';
import { checkAppliedMigrations, computeChecksum, getStatements } from '../migrations/migration.ts';
import { createMovedError } from '../move/check-marker.ts';
import { markerVersion, parseMarker } from '../move/marker.ts';
import { schemaVersion } from '../schema-version.ts';
import { fromSqliteError, loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';

/** Creates a database atomically; returns false if there is one already. */
export async function createSqlite(path: string, at: string): Promise<boolean> {
  const fresh = `${path}.new-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  let database: SqliteDatabase | undefined;
  try {
    // Fails with the reason if the file cannot be created; SQLite's own error does not name it.
    // SQLite gives the log and its index the mode of the database.
    closeSync(openSync(fresh, 'wx', 0o600));
    database = new (loadSqliteDriver().DatabaseSync)(fresh, {});
    database.exec('begin immediate');
    createSchema(database, at);
    // Migrations rebuild tables and leave free pages.
    database.exec('commit; vacuum; pragma journal_mode = wal');
    database.close();
    database = undefined;
    moveStrayLog(path);
    return publishFile(fresh, path);
  } catch (error) {
    throw fromSqliteError(error, { path, busyTimeoutMs: 0, newestBackup: () => undefined });
  } finally {
    database?.close();
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true });
  }
}

/** Creates all tables in an empty database, by default those of this version. Call it inside a transaction. */
export function createSchema(database: SqliteDatabase, at: string, version?: number): void {
  database.exec('create table schema_migrations (version integer primary key, checksum text not null, applied_at text not null)');
  migrateSqlite(database, at, version);
}

/** Renames a log without a database, which SQLite would apply to the new one. Checks for the log first: if another process
 *  creates a database at the same time, its log appears after the database. */
function moveStrayLog(path: string): void {
  const stray = ['-wal', '-shm'].filter((end) => existsSync(`${path}${end}`));
  if (existsSync(path)) return;
  for (const end of stray) renameSync(`${path}${end}`, `${path}.stray-${Date.now()}${end}`);
}

/** Gives the file its final name; returns false if that name is in use. A link never replaces a file, so that one of two
 *  processes wins. File systems without links get a rename. */
export function publishFile(fresh: string, path: string): boolean {
  try {
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(path)) return false;
    renameSync(fresh, path);
  }
  return true;
}

/** Applies the migrations that the database does not have. Call it inside a transaction. */
export function migrateSqlite(database: SqliteDatabase, at: string, version = schemaVersion): void {
  const applied = database.prepare('select version, checksum from schema_migrations order by version').all();
  checkAppliedMigrations(
    applied.map((row) => ({ version: Number(row.version), checksum: String(row.checksum) })),
    migrations,
  );
  const marker = applied.find(({ version }) => version === markerVersion);
  if (marker) throw createMovedError(parseMarker(String(marker.checksum)));
  const done = Math.max(0, ...applied.map((row) => Number(row.version)));
  for (const migration of migrations.filter((m) => m.version > done && m.version <= version)) {
    database.exec(getStatements(migration, 'sqlite'));
    database
      .prepare('insert into schema_migrations (version, checksum, applied_at) values (?, ?, ?)')
      .run(migration.version, computeChecksum(migration), at);
  }
}
