import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { CleoError } from '#core/errors/error.ts';
import { taskId } from '#core/model/scalars.ts';
import type { Inspection } from '../port.ts';
import { openSqlite, type SqliteOptions, versionOf } from './sqlite.ts';
import { type SqliteDatabase, type SqliteStatement, sqliteDriver } from './sqlite-driver.ts';
import { asCleoError, guarded } from './sqlite-errors.ts';
import { place } from './sqlite-schema.ts';

/** What a database file is, seen from outside; its bytes stay as they are. */
export function inspectSqlite(path: string): Inspection {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return { isThere: false, problems: ['is missing'] };
  if (!found.isFile()) return { isThere: true, problems: ['is not a file'] };
  if (found.size === 0) return { isThere: true, problems: ['is empty (0 bytes)'] };
  let database: SqliteDatabase | undefined;
  try {
    database = new (sqliteDriver().DatabaseSync)(path, { readOnly: true, timeout: 5000 });
    const schema = versionOf(database);
    const problems = database
      .prepare('pragma integrity_check(20)')
      .all()
      .map((row) => String(row.integrity_check))
      .filter((line) => line !== 'ok');
    return {
      isThere: true,
      ...(schema === undefined ? {} : { schema }),
      problems: schema === undefined ? ['is not a cleo database', ...problems] : problems,
    };
  } catch (error) {
    return { isThere: true, problems: [(error as Error).message] };
  } finally {
    database?.close();
  }
}

export async function restoreSqlite(options: Omit<SqliteOptions, 'mode'>, file: string, at: string): Promise<{ movedTo?: string }> {
  const { path } = options;
  const isSound = inspectSqlite(path).problems.length === 0;
  const fresh = `${path}.restore-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  try {
    guarded(options, () => copyFileSync(file, fresh));
    await prepare(options, fresh, isSound ? heritage(path) : nothing);
    if (isSound) {
      await copyInto(options, fresh);
      return {};
    }
    const movedTo = moveAside(options, at);
    if (!guarded(options, () => place(fresh, path)))
      throw new CleoError('E_FILE_ERROR', { path, problem: 'another process has just made one', fix: 'cleo doctor' });
    return movedTo ? { movedTo } : {};
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true });
  }
}

/** What has to outlast a restore: ids that were handed out, and tokens that were revoked. */
interface Heritage {
  last: number;
  revoked: { name: string; at: string }[];
}

const nothing: Heritage = { last: 0, revoked: [] };

/** Up to date, with the ids that were handed out since, without the tokens that were revoked since and the marks of jobs that ran when
 *  it was made (one of which made it), and in the mode that a store is in. */
async function prepare(options: Omit<SqliteOptions, 'mode'>, fresh: string, { last, revoked }: Heritage): Promise<void> {
  const { beforeMigration: _, onGrowth: __, ...rest } = options;
  const store = openSqlite({ ...rest, path: fresh, mode: 'write' });
  await store.migrate();
  await store.write({ at: '', by: '' }, async (writes) => {
    if (last > 0) await writes.tasks.reserveIds(taskId(last));
    for (const { name, at } of revoked) await writes.tokens.revoke(name, at);
    for (const { id } of await writes.health.startedJobs()) await writes.jobs.finish(id);
  });
  await store.close();
  guarded(options, () => {
    const database = new (sqliteDriver().DatabaseSync)(fresh, {});
    database.exec('pragma journal_mode = wal');
    database.close();
  });
}

function heritage(path: string): Heritage {
  const database = new (sqliteDriver().DatabaseSync)(path, { readOnly: true, timeout: 5000 });
  // A store of an older schema has not got all of it.
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
      last: Number(row?.value ?? 0),
      revoked: revoked.map(({ name, revoked_at }) => ({ name: String(name), at: String(revoked_at) })),
    };
  } finally {
    database.close();
  }
}

/** One transaction of the live database: whoever works on it sees all of the old or all of the new. A file that was
 *  renamed into its place would leave them writing to the old one. */
async function copyInto(options: Omit<SqliteOptions, 'mode'>, fresh: string): Promise<void> {
  const driver = sqliteDriver();
  if (!driver.backup) throw new CleoError('E_DEPENDENCY_ERROR', { tool: 'SQLite', problem: 'this driver cannot copy into a database' });
  // The copy itself waits for the write lock without end; this waits as long as every call does.
  onTarget(options, 'begin immediate; rollback');
  const source = new driver.DatabaseSync(fresh, { readOnly: true });
  try {
    await driver.backup(source, options.path, { rate: wholeAtOnce });
  } catch (error) {
    throw asCleoError(error, options);
  } finally {
    source.close();
  }
  // Synced, as an answer promises, and out of the log, which would otherwise hold the whole of it.
  onTarget(options, 'pragma synchronous = full; pragma wal_checkpoint(truncate)');
}

/** Pages; one of the drivers takes only positive numbers. */
const wholeAtOnce = 2_147_483_647;

function onTarget(options: Omit<SqliteOptions, 'mode'>, statements: string): void {
  guarded(options, () => {
    const database = new (sqliteDriver().DatabaseSync)(options.path, { timeout: options.busyTimeoutMs });
    try {
      database.exec(statements);
    } finally {
      database.close();
    }
  });
}

/** The database with its log and the log's index; never over what is there. */
function moveAside(options: Omit<SqliteOptions, 'mode'>, at: string): string | undefined {
  const { path } = options;
  if (!['', '-wal', '-shm'].some((end) => existsSync(`${path}${end}`))) return undefined;
  const stamp = at.replace(/[-:.]/g, '');
  let aside = `${path}.damaged-${stamp}`;
  for (let n = 2; ['', '-wal', '-shm'].some((end) => existsSync(`${aside}${end}`)); n++) aside = `${path}.damaged-${stamp}-${n}`;
  // The log last: should this be cut short, a database that is missing is noticed, while one without its log is not.
  for (const end of ['', '-shm', '-wal'])
    guarded(options, () => existsSync(`${path}${end}`) && renameSync(`${path}${end}`, `${aside}${end}`));
  return aside;
}
