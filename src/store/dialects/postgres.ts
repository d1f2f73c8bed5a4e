import postgres from 'postgres';
import { CleoError } from '#core/errors/error.ts';
import type { ReadStore, Stamp, Store, WriteStore } from '../port/store.ts';
import { checkNotNewer, checkSchemaVersion, schemaVersion } from '../schema-version.ts';
import { createReadStore } from '../sql/read-store.ts';
import type { Db, Sql, SqlRow, SqlValue } from '../sql/sql.ts';
import { createSocketSource, type SocketSource } from './postgres-socket.ts';
import { formatTarget, type PostgresTarget, resolveTarget } from './postgres-target.ts';

export interface PostgresOptions {
  url: string;
  /** The variable or file that the address is from, for messages. */
  source?: string;
  /** The address is the user's own, not the project's, so it may weaken the checks of TLS. */
  isOwnAddress?: boolean;
  /** The variables of the PostgreSQL clients: PGPASSWORD, PGSSLMODE and so on. */
  environment?: Record<string, string | undefined>;
  /** The project's own schema: the same SQL as on SQLite, no project column. */
  schema: string;
  busyTimeoutMs: number;
  connections?: number;
  /** Time limit for the first answer of the server. */
  connectTimeoutMs?: number;
}

/** Opens the store of a project on a server, which several machines can share. */
export function openPostgres(options: PostgresOptions): Store {
  const pool = createPool(options);
  let isChecked = false;

  type Prelude = (connection: Connection, sinceMs: number) => Promise<SqlRow[]>;
  const runTransaction = async <T>(begin: string, prelude: Prelude, work: (db: Db) => Promise<T>): Promise<T> => {
    const sinceMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      let isCommitting = false;
      const connection = await pool.take();
      try {
        await connection.query(begin);
        const [seen] = await prelude(connection, sinceMs);
        if (isChecked) checkSchemaVersion(Number(seen?.version));
        else await checkSchema(connection, options);
        isChecked = true;
        const result = await work(toDb(connection));
        isCommitting = true;
        await connection.query('commit');
        return result;
      } catch (error) {
        const isLost = isConnectionLoss(error);
        if (isLost) connection.drop();
        if (isLost && isCommitting)
          throw new CleoError('E_OUTCOME_UNKNOWN', { problem: 'The connection broke during commit' }, { cause: error });
        // A transaction that cannot be rolled back ends with its connection.
        if (!isLost) await connection.query('rollback').catch(connection.drop);
        // A connection that was lost is worth a retry; a server that never answered is not.
        if (isRetryable(error) && attempt <= 5 && (attempt > 1 || connection.hasAnswered())) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
          continue;
        }
        throw fromPostgresError(error, options);
      } finally {
        pool.give(connection);
      }
    }
  };
  // The schema can change while a server process runs. The version is selected in a statement that is sent anyway.
  const selectVersion = (): string => (isChecked ? `, (select max(version) from "${options.schema}".schema_migrations) as version` : '');
  const setSearchPath: Prelude = (connection) =>
    connection.query(`select set_config('search_path', $1, true)${selectVersion()}`, [`"${options.schema}", public`]);
  const takeLock: Prelude = async (connection, sinceMs) => {
    // The time spent waiting for a connection counts. PostgreSQL reads 0 as no limit.
    const leftMs = Math.max(1, Math.ceil(options.busyTimeoutMs - (performance.now() - sinceMs)));
    await connection.query(`select set_config('search_path', $1, true), set_config('lock_timeout', $2, true)`, [
      `"${options.schema}", public`,
      `${leftMs}ms`,
    ]);
    return connection.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))${selectVersion()}`, [options.schema]);
  };

  return {
    read: <T>(work: (store: ReadStore) => Promise<T>) =>
      runTransaction('begin isolation level repeatable read read only', setSearchPath, (db) => work(createReadStore(db))),
    write: async <T>(stamp: Stamp, work: (store: WriteStore) => Promise<T>) => {
      const { createWriteStore } = await import('../sql/write-store.ts');
      return runTransaction('begin', takeLock, (db) => work(createWriteStore(db, stamp)));
    },
    migrate: () => createPostgres(options, new Date().toISOString()),
    async backupTo() {
      throw (await import('../store-admin.ts')).createBackupError();
    },
    close: pool.close,
  };
}

/** Creates or migrates the project's schema; returns the versions before and after. */
export async function createPostgres(options: PostgresOptions, at: string): Promise<{ from: number; to: number }> {
  const { migrations } = await import('../migrations/all.ts');
  const { checkAppliedMigrations, computeChecksum, getStatements } = await import('../migrations/migration.ts');
  let connection: Connection | undefined;
  try {
    connection = openConnection(options);
    await connection.query('begin');
    await connection.query(`select pg_advisory_xact_lock(hashtextextended('cleo migrations', 0))`);
    await connection.query('create extension if not exists pg_trgm with schema public');
    await connection.query(`create schema if not exists "${options.schema}"`);
    await connection.query(`set local search_path to "${options.schema}", public`);
    await connection.query(
      'create table if not exists schema_migrations (version integer primary key, checksum text not null, applied_at text not null)',
    );
    const applied = (await connection.query('select version, checksum from schema_migrations')).map((row) => ({
      version: Number(row.version),
      checksum: String(row.checksum),
    }));
    const from = Math.max(0, ...applied.map((step) => step.version));
    checkNotNewer(from);
    checkAppliedMigrations(applied, migrations);
    for (const migration of migrations.filter((m) => m.version > from)) {
      await connection.runScript(getStatements(migration, 'postgres'));
      await connection.query('insert into schema_migrations (version, checksum, applied_at) values ($1, $2, $3)', [
        migration.version,
        computeChecksum(migration),
        at,
      ]);
    }
    await connection.query('commit');
    return { from, to: schemaVersion };
  } catch (error) {
    throw fromPostgresError(error, options);
  } finally {
    // Ending the connection rolls back an open transaction.
    await connection?.end();
  }
}

export interface ConnectionEvents {
  /** Called for every notification of a channel that the connection listens to. */
  onNotify?: () => void;
  onLost?: () => void;
}

/** One connection. Once it is lost, every statement fails and the connection is not used again: postgres.js would leave
 *  pending statements unsettled or reuse the dead connection. */
export interface Connection {
  query(text: string, values?: SqlValue[]): Promise<SqlRow[]>;
  /** Runs several statements at once. */
  runScript(text: string): Promise<SqlRow[]>;
  hasAnswered(): boolean;
  isLost(): boolean;
  drop(): void;
  end(): Promise<void>;
}

export function openConnection(options: PostgresOptions, { onNotify, onLost }: ConnectionEvents = {}): Connection {
  let isLost = false;
  let hasAnswered = false;
  const unanswered = new Set<(error: Error) => void>();
  const lose = (): void => {
    isLost = true;
    // The driver reports the close before the error that caused it.
    for (const reject of unanswered) reject(sockets.getError() ?? createConnectionError());
    unanswered.clear();
    onLost?.();
  };
  const target = resolveTarget(options);
  const sockets = createSocketSource(target);
  const client = connect(target, sockets, lose, onNotify);
  const drop = (): void => {
    lose();
    void client.end({ timeout: 0 }).catch(() => {});
  };
  const settle = (query: () => Promise<unknown>): Promise<SqlRow[]> => {
    if (isLost) return Promise.reject(createConnectionError());
    return new Promise<SqlRow[]>((resolve, reject) => {
      unanswered.add(reject);
      // postgres.js reconnects at once and for ever to a server that closes the connection before its first answer.
      const timer = hasAnswered ? undefined : setTimeout(drop, target.timeoutMs);
      query()
        .then(
          (rows) => {
            hasAnswered = true;
            resolve([...(rows as SqlRow[])]);
          },
          (error) => {
            reject(error);
            // A statement after a failed login would log in again.
            if (!hasAnswered) drop();
          },
        )
        .finally(() => {
          clearTimeout(timer);
          unanswered.delete(reject);
        });
    });
  };
  return {
    query: (text, values = []) => settle(async () => client.unsafe(text, values, { prepare: values.length > 0 })),
    runScript: (text) => settle(async () => client.unsafe(text).simple()),
    hasAnswered: () => hasAnswered,
    isLost: () => isLost,
    drop,
    end: () => client.end({ timeout: isLost ? 0 : 5 }),
  };
}

const createConnectionError = (): Error => Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' });

/** Opens at most `connections` connections. If all are in use, `take` waits for one. */
function createPool(options: PostgresOptions): { take(): Promise<Connection>; give(connection: Connection): void; close(): Promise<void> } {
  const idle: Connection[] = [];
  const waiting: (() => void)[] = [];
  let free = options.connections ?? 1;
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return {
    async take() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      const connection = idle.pop();
      if (connection && !connection.isLost()) return connection;
      try {
        return openConnection(options);
      } catch (error) {
        release();
        throw fromPostgresError(error, options);
      }
    },
    give(connection) {
      if (!connection.isLost()) idle.push(connection);
      release();
    },
    async close() {
      await Promise.all(idle.splice(0).map((connection) => connection.end()));
    },
  };
}

function connect(target: PostgresTarget, sockets: SocketSource, onclose: () => void, onnotify?: () => void): postgres.Sql {
  const options = {
    host: target.servers.map(({ host }) => host),
    port: target.servers.map(({ port }) => port),
    user: target.user,
    database: target.database,
    pass: sockets.readPassword,
    socket: sockets.open,
    // The socket is encrypted before the driver gets it.
    ssl: false,
    max: 1,
    onclose,
    onnotice: () => {},
    ...(onnotify ? { onnotify } : {}),
    connection: target.startup,
    ...(target.sessionKind ? { target_session_attrs: target.sessionKind } : {}),
    connect_timeout: target.timeoutMs / 1000,
    // Array types are not used, and fetching them costs each connection a round trip.
    fetch_types: false,
    // Otherwise postgres.js closes an old connection between two statements of a transaction.
    max_lifetime: null,
    // Counts and sequences stay far below 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  };
  // The types of the driver lack the option `socket`.
  return postgres(options as unknown as postgres.Options<Record<string, postgres.PostgresType>>) as unknown as postgres.Sql;
}

const toDb = (connection: Connection): Db => ({
  engine: 'postgres',
  all: (statement) => connection.query(formatPlaceholders(statement), statement.values),
  run: async (statement) => {
    await connection.query(formatPlaceholders(statement), statement.values);
  },
});

const formatPlaceholders = (statement: Sql): string => statement.parts.reduce((text, part, i) => `${text}$${i}${part}`);

async function checkSchema(connection: Connection, options: PostgresOptions): Promise<void> {
  const rows = await connection.query(
    `select 1 as found from information_schema.tables where table_schema = $1 and table_name = 'schema_migrations'`,
    [options.schema],
  );
  if (rows.length === 0)
    throw new CleoError('E_STORE_DAMAGED', { path: options.schema, problem: 'the project has no schema on this server', missing: true });
  const [row] = await connection.query('select max(version) as version from schema_migrations');
  checkSchemaVersion(Number(row?.version));
}

const getErrorCode = (error: unknown): string => String((error as { code?: unknown }).code ?? '');
const isConnectionLoss = (error: unknown): boolean => /^(CONNECTION_|ECONN|EPIPE|57P0[123]|08)/.test(getErrorCode(error));
const isRetryable = (error: unknown): boolean => isConnectionLoss(error) || ['40001', '40P01'].includes(getErrorCode(error));

const createUnreachableError = (options: PostgresOptions, error: unknown): CleoError =>
  new CleoError(
    'E_STORE_UNREACHABLE',
    { address: formatTarget(resolveTarget(options)), problem: (error as Error).message || getErrorCode(error) },
    { cause: error },
  );

/** Converts an error of the server. Exported for its test, because most of these errors cannot be provoked. */
export function fromPostgresError(error: unknown, options: PostgresOptions): unknown {
  if (error instanceof CleoError) return error;
  const code = getErrorCode(error);
  const { message } = error as Error;
  const { schema: path } = options;
  const onServer = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo doctor' }, { cause: error });
  // The lock timeout, or a statement timeout set on the server.
  if (code === '55P03' || code === '57014')
    return new CleoError('E_LOCK_TIMEOUT', { waitedMs: options.busyTimeoutMs, path }, { cause: error });
  if (code === '53100') return onServer("the server's disk is full; nothing was changed");
  if (code === '58030') return onServer(`the server's disk reports an error; nothing was changed (${message})`);
  if (code === '25006') return onServer('the server is read-only; nothing was changed');
  if (code === '42501') return onServer(`the server does not allow it; nothing was changed (${message})`);
  if (/^(XX00[12]|58P01)$/.test(code))
    return new CleoError('E_STORE_DAMAGED', { path, problem: `the server finds its files damaged (${message})` }, { cause: error });
  return isConnectionLoss(error) || unreachableCodes.test(code) ? createUnreachableError(options, error) : error;
}

/** Unknown host or database, rejected login, too many connections, untrusted certificate, invalid address. */
const unreachableCodes =
  /^(ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|28|3D|53|CONNECT|SASL|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;
