import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { migrations } from '../migrations/all.ts';
import { checkApplied, checksum, statementsFor } from '../migrations/migration.ts';
import { type SqliteDatabase, sqliteDriver } from './sqlite-driver.ts';
import { asCleoError } from './sqlite-errors.ts';

/** Makes a new database, whole or not at all; false if there is one already. */
export async function createSqlite(path: string, at: string): Promise<boolean> {
  const fresh = `${path}.new-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  let database: SqliteDatabase | undefined;
  try {
    // Its own way of failing names the reason; SQLite's does not.
    closeSync(openSync(fresh, 'wx'));
    database = new (sqliteDriver().DatabaseSync)(fresh, {});
    database.exec(
      'begin immediate; create table schema_migrations (version integer primary key, checksum text not null, applied_at text not null)',
    );
    migrateSqlite(database, at);
    database.exec('commit; pragma journal_mode = wal');
    database.close();
    database = undefined;
    setStrayLogAside(path);
    return place(fresh, path);
  } catch (error) {
    throw asCleoError(error, { path, busyTimeoutMs: 0, newestBackup: () => undefined });
  } finally {
    database?.close();
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true });
  }
}

/** A log without its database would be read as that of the new one. It is looked for first: the log of a database that
 *  another process has just made is never seen without it. */
function setStrayLogAside(path: string): void {
  const stray = ['-wal', '-shm'].filter((end) => existsSync(`${path}${end}`));
  if (existsSync(path)) return;
  for (const end of stray) renameSync(`${path}${end}`, `${path}.stray-${Date.now()}${end}`);
}

/** A link never replaces what is there, so of two at once one wins; where links are not to be had, a rename. */
export function place(fresh: string, path: string): boolean {
  try {
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(path)) return false;
    renameSync(fresh, path);
  }
  return true;
}

/** Inside a transaction: the steps that this database has not had. */
export function migrateSqlite(database: SqliteDatabase, at: string): void {
  const applied = database.prepare('select version, checksum from schema_migrations order by version').all();
  checkApplied(
    applied.map((row) => ({ version: Number(row.version), checksum: String(row.checksum) })),
    migrations,
  );
  const done = Math.max(0, ...applied.map((row) => Number(row.version)));
  for (const migration of migrations.filter((m) => m.version > done)) {
    database.exec(statementsFor(migration, 'sqlite'));
    database
      .prepare('insert into schema_migrations (version, checksum, applied_at) values (?, ?, ?)')
      .run(migration.version, checksum(migration), at);
  }
}
