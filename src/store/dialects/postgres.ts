import postgres from 'postgres';
import { CleoError } from '../../errors/error.ts';
import type { ReadStore, Stamp, Store, WriteStore } from '../port.ts';
import { schemaVersion } from '../schema-version.ts';
import { readStore } from '../sql/read-store.ts';
import type { Db, Row, Sql } from '../sql/sql.ts';

export interface PostgresOptions {
  url: string;
  /** The project's own schema: the same SQL as on SQLite, no project column. */
  schema: string;
  busyTimeoutMs: number;
  connections?: number;
}

type Connection = postgres.ReservedSql;

/** One store for many machines. */
export function openPostgres(options: PostgresOptions): Store {
  const pool = connect(options);
  let isChecked = false;

  const transaction = async <T>(begin: string, prelude: (c: Connection) => Promise<unknown>, work: (db: Db) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      let isCommitting = false;
      const connection = await pool.reserve().catch((error) => {
        throw unreachable(options, error);
      });
      try {
        await connection.unsafe(begin);
        await prelude(connection);
        if (!isChecked) await checkVersion(connection, options);
        isChecked = true;
        const result = await work(dbOn(connection));
        isCommitting = true;
        await connection.unsafe('commit');
        return result;
      } catch (error) {
        if (isConnectionLoss(error) && isCommitting)
          throw new CleoError('E_OUTCOME_UNKNOWN', { problem: 'The connection broke during commit' }, { cause: error });
        if (!isConnectionLoss(error)) await connection.unsafe('rollback').catch(() => {});
        if (isRetryable(error) && attempt <= 5) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
          continue;
        }
        throw asCleoError(error, options);
      } finally {
        connection.release();
      }
    }
  };
  const searchPath = (c: Connection): Promise<unknown> =>
    c.unsafe(`select set_config('search_path', $1, true)`, [`"${options.schema}", public`], { prepare: true });
  const lock = (c: Connection): Promise<unknown> =>
    c
      .unsafe(
        `select set_config('search_path', $1, true), set_config('lock_timeout', $2, true)`,
        [`"${options.schema}", public`, `${options.busyTimeoutMs}ms`],
        { prepare: true },
      )
      .then(() => c.unsafe(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [options.schema], { prepare: true }));

  return {
    read: <T>(work: (store: ReadStore) => Promise<T>) =>
      transaction('begin isolation level repeatable read read only', searchPath, (db) => work(readStore(db))),
    write: async <T>(stamp: Stamp, work: (store: WriteStore) => Promise<T>) => {
      const { writeStore } = await import('../sql/write-store.ts');
      return transaction('begin', lock, (db) => work(writeStore(db, stamp)));
    },
    migrate: () => createPostgres(options, new Date().toISOString()),
    async backupTo() {
      throw (await import('../keeper.ts')).serverKeepsBackups();
    },
    close: () => pool.end({ timeout: 5 }),
  };
}

/** Makes the project's schema, or brings it up to date; the versions before and after. */
export async function createPostgres(options: PostgresOptions, at: string): Promise<{ from: number; to: number }> {
  const { migrations } = await import('../migrations/all.ts');
  const { checkApplied, checksum, statementsFor } = await import('../migrations/migration.ts');
  const pool = connect(options);
  try {
    return (await pool.begin(async (tx) => {
      await tx.unsafe(`select pg_advisory_xact_lock(hashtextextended('cleo migrations', 0))`);
      await tx.unsafe('create extension if not exists pg_trgm with schema public');
      await tx.unsafe(`create schema if not exists "${options.schema}"`);
      await tx.unsafe(`set local search_path to "${options.schema}", public`);
      await tx.unsafe(
        'create table if not exists schema_migrations (version integer primary key, checksum text not null, applied_at text not null)',
      );
      const applied = (await tx.unsafe('select version, checksum from schema_migrations')).map((row) => ({
        version: Number(row.version),
        checksum: String(row.checksum),
      }));
      const from = Math.max(0, ...applied.map((step) => step.version));
      if (from > schemaVersion) throw new CleoError('E_STORE_NEWER', { found: from, known: schemaVersion });
      checkApplied(applied, migrations);
      for (const migration of migrations.filter((m) => m.version > from)) {
        await tx.unsafe(statementsFor(migration, 'postgres')).simple();
        await tx.unsafe('insert into schema_migrations (version, checksum, applied_at) values ($1, $2, $3)', [
          migration.version,
          checksum(migration),
          at,
        ]);
      }
      return { from, to: schemaVersion };
    })) as { from: number; to: number };
  } catch (error) {
    throw asCleoError(error, options);
  } finally {
    await pool.end({ timeout: 5 });
  }
}

function connect({ url, connections }: PostgresOptions): postgres.Sql {
  return postgres(url, {
    max: connections ?? 1,
    onnotice: () => {},
    connect_timeout: 10,
    // Counts and sequences stay far below 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  }) as unknown as postgres.Sql;
}

const dbOn = (connection: Connection): Db => ({
  engine: 'postgres',
  all: async (statement) => [...(await connection.unsafe(numbered(statement), statement.values, { prepare: true }))] as unknown as Row[],
  run: async (statement) => {
    await connection.unsafe(numbered(statement), statement.values, { prepare: true });
  },
});

const numbered = (statement: Sql): string => statement.parts.reduce((text, part, i) => `${text}$${i}${part}`);

async function checkVersion(connection: Connection, options: PostgresOptions): Promise<void> {
  const rows = await connection.unsafe(
    `select 1 as found from information_schema.tables where table_schema = $1 and table_name = 'schema_migrations'`,
    [options.schema],
    { prepare: true },
  );
  if (rows.length === 0)
    throw new CleoError('E_STORE_DAMAGED', { path: options.schema, problem: 'the project has no schema on this server', missing: true });
  const [row] = await connection.unsafe('select max(version) as version from schema_migrations', [], { prepare: true });
  const found = Number(row?.version);
  if (found > schemaVersion) throw new CleoError('E_STORE_NEWER', { found, known: schemaVersion });
  if (found < schemaVersion) throw new CleoError('E_STORE_OLDER', { found, known: schemaVersion });
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');
const isConnectionLoss = (error: unknown): boolean => /^(CONNECTION_|ECONN|EPIPE|57P0[123]|08)/.test(codeOf(error));
const isRetryable = (error: unknown): boolean => isConnectionLoss(error) || ['40001', '40P01'].includes(codeOf(error));

const unreachable = (options: PostgresOptions, error: unknown): CleoError =>
  new CleoError(
    'E_STORE_UNREACHABLE',
    { address: withoutPassword(options.url), problem: (error as Error).message || codeOf(error) },
    { cause: error },
  );

function asCleoError(error: unknown, options: PostgresOptions): unknown {
  if (error instanceof CleoError) return error;
  const code = codeOf(error);
  if (code === '55P03') return new CleoError('E_LOCK_TIMEOUT', { waitedMs: options.busyTimeoutMs, path: options.schema }, { cause: error });
  if (code === '53100')
    return new CleoError(
      'E_FILE_ERROR',
      { path: options.schema, problem: "the server's disk is full; nothing was changed", fix: 'cleo doctor' },
      { cause: error },
    );
  if (code === '25006' || code === '42501')
    return new CleoError(
      'E_FILE_ERROR',
      { path: options.schema, problem: 'the server does not allow writing', fix: 'cleo doctor' },
      { cause: error },
    );
  if (isConnectionLoss(error) || /^(ENOTFOUND|ETIMEDOUT|EAI_|28|3D|CONNECT)/.test(code)) return unreachable(options, error);
  return error;
}

function withoutPassword(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port ? `:${port}` : ''}${pathname}`;
  } catch {
    return 'the configured address';
  }
}
