import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Store } from '../port/store.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';
import { convertErrors } from './sqlite-driver.ts';
import { createSqlite, publishFile } from './sqlite-schema.ts';

/** Creates a database, fills it and gives it its name, so that other processes see either no database or the complete one. Returns false
 *  if there is one already. The caller has the lock of the build, so that the files of other builds belong to processes that were killed. */
export async function buildSqlite(
  options: Omit<SqliteOptions, 'mode'>,
  at: string,
  fill: (store: Store) => Promise<void>,
): Promise<boolean> {
  removeUnfinished(options.path);
  const fresh = toUnfinishedPath(options.path);
  try {
    await createSqlite(fresh, at);
    const store = openSqlite({ ...withoutCallbacks(options), path: fresh, mode: 'write' });
    try {
      await fill(store);
    } finally {
      await store.close();
    }
    return publishFile(fresh, options.path);
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true });
  }
}

const unfinished = '.new-build-';

export const toUnfinishedPath = (path: string): string => `${path}${unfinished}${process.pid}-${Math.random().toString(36).slice(2, 8)}`;

/** Removes the files of builds whose processes were killed. */
export function removeUnfinished(path: string): void {
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(`${basename(path)}${unfinished}`)) rmSync(join(dirname(path), name), { force: true });
}

const withoutCallbacks = ({ beforeMigration: _, afterCheckpoint: __, ...options }: Omit<SqliteOptions, 'mode'>) => options;

/** Moves the database with its log to names that are not in use. Returns the new path, or undefined if there is no database. */
export function moveAside(options: Omit<SqliteOptions, 'mode'>, at: string, reason: 'damaged' | 'moved' = 'damaged'): string | undefined {
  const { path } = options;
  if (!['', '-wal', '-shm'].some((end) => existsSync(`${path}${end}`))) return undefined;
  const stamp = at.replace(/[-:.]/g, '');
  let aside = `${path}.${reason}-${stamp}`;
  for (let n = 2; ['', '-wal', '-shm'].some((end) => existsSync(`${aside}${end}`)); n++) aside = `${path}.${reason}-${stamp}-${n}`;
  // The log goes last: if the process is killed in between, a missing database is noticed; a database without its log is not.
  for (const end of ['', '-shm', '-wal'])
    convertErrors(options, () => existsSync(`${path}${end}`) && renameSync(`${path}${end}`, `${aside}${end}`));
  return aside;
}
