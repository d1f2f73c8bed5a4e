import { chmodSync, copyFileSync, rmSync, statSync } from 'node:fs';
import { CleoError } from '#core/errors/error.ts';
import { toTaskId } from '#core/model/scalars.ts';
import type { StoreInspection, StoreRestoration } from '../port/store.ts';
import { openSqlite, readSchema, type SqliteOptions } from './sqlite.ts';
import { moveAside } from './sqlite-build.ts';
import { carryOver } from './sqlite-carry-over.ts';
import { convertErrors, fromSqliteError, loadSqliteDriver, type SqliteDatabase, type SqliteStatement } from './sqlite-driver.ts';
import { withRestoreLock } from './sqlite-restore-lock.ts';
import { publishFile } from './sqlite-schema.ts';

/** Checks a database file without changing it. */
export function inspectSqlite(path: string): StoreInspection {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return { exists: false, problems: ['is missing'] };
  if (!found.isFile()) return { exists: true, problems: ['is not a file'] };
  if (found.size === 0) return { exists: true, problems: ['is empty (0 bytes)'] };
  let database: SqliteDatabase | undefined;
  try {
    database = new (loadSqliteDriver().DatabaseSync)(path, { readOnly: true, timeout: 5000 });
    const schema = readSchema(database)?.version;
    const problems = database
      .prepare('pragma integrity_check(20)')
      .all()
      .map((row) => String(row.integrity_check))
      .filter((line) => line !== 'ok');
    return {
      exists: true,
      ...(schema === undefined ? {} : { schema }),
      problems: schema === undefined ? ['is not a cleo database', ...problems] : problems,
    };
  } catch (error) {
    return { exists: true, problems: [(error as Error).message] };
  } finally {
    database?.close();
  }
}

export async function restoreSqlite(options: Omit<SqliteOptions, 'mode'>, file: string, at: string): Promise<StoreRestoration> {
  const { path } = options;
  const isSound = inspectSqlite(path).problems.length === 0;
  const fresh = `${path}.restore-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  try {
    convertErrors(options, () => {
      copyFileSync(file, fresh);
      // The copy has the mode of the backup, which others may be able to read.
      chmodSync(fresh, 0o600);
    });
    if (isSound)
      return await withRestoreLock(options, async () => {
        // Waits for a write that has begun before the lock. The wait of the copy itself has no limit.
        execOnDatabase(options, 'begin immediate; rollback');
        await prepareCopy(options, fresh, readPreservedState(path));
        const log = convertErrors(options, () => carryOver(fresh, path));
        await replaceContent(options, fresh);
        return { log };
      });
    await prepareCopy(options, fresh, emptyState);
    const movedTo = moveAside(options, at);
    if (!convertErrors(options, () => publishFile(fresh, path)))
      throw new CleoError('E_FILE_ERROR', { path, problem: 'another process has just created it', fix: 'cleo doctor' });
    return movedTo ? { movedTo } : {};
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true });
  }
}

/** State that a restore must not undo and that is applied by the store itself: assigned ids and revoked tokens. See `carryOver`. */
interface PreservedState {
  lastTaskNumber: number;
  revokedTokens: { name: string; at: string }[];
}

const emptyState: PreservedState = { lastTaskNumber: 0, revokedTokens: [] };

/** Migrates the copy, reserves the assigned ids, revokes the revoked tokens, removes the jobs that ran when the backup was
 *  made (the backup itself is one), and switches to WAL mode. */
async function prepareCopy(
  options: Omit<SqliteOptions, 'mode'>,
  fresh: string,
  { lastTaskNumber: last, revokedTokens: revoked }: PreservedState,
): Promise<void> {
  const { beforeMigration: _, afterCheckpoint: __, ...rest } = options;
  const store = openSqlite({ ...rest, path: fresh, mode: 'write' });
  await store.migrate();
  await store.write({ at: '', by: '' }, async (writes) => {
    if (last > 0) await writes.tasks.reserveIds(toTaskId(last));
    for (const { name, at } of revoked) await writes.tokens.revoke(name, at);
    for (const { id } of await writes.health.listStartedJobs()) await writes.jobs.finish(id);
  });
  await store.close();
  convertErrors(options, () => {
    const database = new (loadSqliteDriver().DatabaseSync)(fresh, {});
    database.exec('pragma journal_mode = wal');
    database.close();
  });
}

function readPreservedState(path: string): PreservedState {
  const database = new (loadSqliteDriver().DatabaseSync)(path, { readOnly: true, timeout: 5000 });
  // An older schema does not have all of these tables.
  const rows = (statement: string): ReturnType<SqliteStatement['all']> => {
    try {
      return database.prepare(statement).all();
    } catch {
      return [];
    }
  };
  try {
    const [row] = rows(`select value from counters where name = 'task'`);
    const revoked = rows('select name, revoked_at from tokens where revoked_at is not null');
    return {
      lastTaskNumber: Number(row?.value ?? 0),
      revokedTokens: revoked.map(({ name, revoked_at }) => ({ name: String(name), at: String(revoked_at) })),
    };
  } finally {
    database.close();
  }
}

/** Copies into the live database in one transaction, so that other connections see either the old or the new content. If
 *  the file were replaced by a rename, they would continue to write to the old one. */
async function replaceContent(options: Omit<SqliteOptions, 'mode'>, fresh: string): Promise<void> {
  const driver = loadSqliteDriver();
  if (!driver.backup)
    throw new CleoError('E_DEPENDENCY_ERROR', {
      tool: 'SQLite',
      problem: 'this driver cannot copy into a database',
      manual: 'Update Node.js',
    });
  const source = new driver.DatabaseSync(fresh, { readOnly: true });
  try {
    await driver.backup(source, options.path, { rate: allPages });
  } catch (error) {
    throw fromSqliteError(error, options);
  } finally {
    source.close();
  }
  // Syncs to disk before the call returns, and empties the log, which now holds the whole database.
  execOnDatabase(options, 'pragma synchronous = full; pragma wal_checkpoint(truncate)');
}

/** A number of pages. Not -1, because one of the drivers accepts only positive numbers. */
const allPages = 2_147_483_647;

function execOnDatabase(options: Omit<SqliteOptions, 'mode'>, statements: string): void {
  convertErrors(options, () => {
    const database = new (loadSqliteDriver().DatabaseSync)(options.path, { timeout: options.busyTimeoutMs });
    try {
      database.exec(statements);
    } finally {
      database.close();
    }
  });
}
