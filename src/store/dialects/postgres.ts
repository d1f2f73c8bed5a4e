import postgres from 'postgres';
import { CleoError } from '#core/errors/error.ts';
import type { ReadStore, Stamp, Store, WriteStore } from '../port.ts';
import { schemaVersion } from '../schema-version.ts';
import { readStore } from '../sql/read-store.ts';
import type { Db, Row, Sql, Value } from '../sql/sql.ts';

export interface PostgresOptions {
  url: string;
  /** The project's own schema: the same SQL as on SQLite, no project column. */
  schema: string;
  busyTimeoutMs: number;
  connections?: number;
  /** How long a server may take for its first word. */
  patienceMs?: number;
}

/** One store for many machines. */
export function openPostgres(options: PostgresOptions): Store {
  const lines = lineKeeper(options);
  let isChecked = false;

  type Prelude = (line: Line, sinceMs: number) => Promise<Row[]>;
  const transaction = async <T>(begin: string, prelude: Prelude, work: (db: Db) => Promise<T>): Promise<T> => {
    const sinceMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      let isCommitting = false;
      const line = await lines.take();
      try {
        await line.ask(begin);
        const [seen] = await prelude(line, sinceMs);
        if (isChecked) checkKnown(Number(seen?.version));
        else await checkVersion(line, options);
        isChecked = true;
        const result = await work(dbOn(line));
        isCommitting = true;
        await line.ask('commit');
        return result;
      } catch (error) {
        const isLost = isConnectionLoss(error);
        if (isLost) line.drop();
        if (isLost && isCommitting)
          throw new CleoError('E_OUTCOME_UNKNOWN', { problem: 'The connection broke during commit' }, { cause: error });
        // A transaction that cannot be rolled back ends with its connection.
        if (!isLost) await line.ask('rollback').catch(line.drop);
        // A server that never answered is not asked again; one that was lost may be coming back.
        if (isRetryable(error) && attempt <= 5 && (attempt > 1 || line.hasAnswered())) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
          continue;
        }
        throw asCleoError(error, options);
      } finally {
        lines.give(line);
      }
    }
  };
  // A process that serves may outlive the schema it began with; once it is known to be there, asking again costs no round trip.
  const version = (): string => (isChecked ? `, (select max(version) from "${options.schema}".schema_migrations) as version` : '');
  const searchPath: Prelude = (line) => line.ask(`select set_config('search_path', $1, true)${version()}`, [`"${options.schema}", public`]);
  const lock: Prelude = async (line, sinceMs) => {
    // The wait for a connection counts too. To PostgreSQL 0 would be no limit.
    const leftMs = Math.max(1, Math.ceil(options.busyTimeoutMs - (performance.now() - sinceMs)));
    await line.ask(`select set_config('search_path', $1, true), set_config('lock_timeout', $2, true)`, [
      `"${options.schema}", public`,
      `${leftMs}ms`,
    ]);
    return line.ask(`select pg_advisory_xact_lock(hashtextextended($1, 0))${version()}`, [options.schema]);
  };

  return {
    read: <T>(work: (store: ReadStore) => Promise<T>) =>
      transaction('begin isolation level repeatable read read only', searchPath, (db) => work(readStore(db))),
    write: async <T>(stamp: Stamp, work: (store: WriteStore) => Promise<T>) => {
      const { writeStore } = await import('../sql/write-store.ts');
      return transaction('begin', lock, (db) => work(writeStore(db, stamp)));
    },
    migrate: () => createPostgres(options, new Date().toISOString()),
    async backupTo() {
      throw (await import('../store-admin.ts')).serverKeepsBackups();
    },
    close: lines.close,
  };
}

/** Makes the project's schema, or brings it up to date; the versions before and after. */
export async function createPostgres(options: PostgresOptions, at: string): Promise<{ from: number; to: number }> {
  const { migrations } = await import('../migrations/all.ts');
  const { checkApplied, checksum, statementsFor } = await import('../migrations/migration.ts');
  let line: Line | undefined;
  try {
    line = openLine(options);
    await line.ask('begin');
    await line.ask(`select pg_advisory_xact_lock(hashtextextended('cleo migrations', 0))`);
    await line.ask('create extension if not exists pg_trgm with schema public');
    await line.ask(`create schema if not exists "${options.schema}"`);
    await line.ask(`set local search_path to "${options.schema}", public`);
    await line.ask(
      'create table if not exists schema_migrations (version integer primary key, checksum text not null, applied_at text not null)',
    );
    const applied = (await line.ask('select version, checksum from schema_migrations')).map((row) => ({
      version: Number(row.version),
      checksum: String(row.checksum),
    }));
    const from = Math.max(0, ...applied.map((step) => step.version));
    if (from > schemaVersion) throw new CleoError('E_STORE_NEWER', { found: from, known: schemaVersion });
    checkApplied(applied, migrations);
    for (const migration of migrations.filter((m) => m.version > from)) {
      await line.script(statementsFor(migration, 'postgres'));
      await line.ask('insert into schema_migrations (version, checksum, applied_at) values ($1, $2, $3)', [
        migration.version,
        checksum(migration),
        at,
      ]);
    }
    await line.ask('commit');
    return { from, to: schemaVersion };
  } catch (error) {
    throw asCleoError(error, options);
  } finally {
    // What was not committed ends with its connection.
    await line?.end();
  }
}

/** One connection. Once it is lost, every statement fails: postgres.js would never settle them, or hand the dead
 *  connection out again, so a lost line is not used a second time. */
interface Line {
  ask(text: string, values?: Value[]): Promise<Row[]>;
  /** Several statements at once. */
  script(text: string): Promise<Row[]>;
  hasAnswered(): boolean;
  isLost(): boolean;
  drop(): void;
  end(): Promise<void>;
}

function openLine(options: PostgresOptions): Line {
  let isLost = false;
  let hasAnswered = false;
  const unanswered = new Set<(error: Error) => void>();
  const lose = (): void => {
    isLost = true;
    for (const reject of unanswered) reject(lostConnection());
    unanswered.clear();
  };
  const client = connect(options, lose);
  const drop = (): void => {
    lose();
    void client.end({ timeout: 0 }).catch(() => {});
  };
  const settle = (query: () => Promise<unknown>): Promise<Row[]> => {
    if (isLost) return Promise.reject(lostConnection());
    return new Promise<Row[]>((resolve, reject) => {
      unanswered.add(reject);
      // To a server that hangs up before its first word postgres.js dials again at once, for ever.
      const patience = hasAnswered ? undefined : setTimeout(drop, options.patienceMs ?? patienceMs);
      query()
        .then((rows) => {
          hasAnswered = true;
          resolve([...(rows as Row[])]);
        }, reject)
        .finally(() => {
          clearTimeout(patience);
          unanswered.delete(reject);
        });
    });
  };
  return {
    ask: (text, values = []) => settle(async () => client.unsafe(text, values, { prepare: values.length > 0 })),
    script: (text) => settle(async () => client.unsafe(text).simple()),
    hasAnswered: () => hasAnswered,
    isLost: () => isLost,
    drop,
    end: () => client.end({ timeout: isLost ? 0 : 5 }),
  };
}

const patienceMs = 10_000;

const lostConnection = (): Error => Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' });

/** At most `connections` lines; who finds them all taken waits for one. */
function lineKeeper(options: PostgresOptions): { take(): Promise<Line>; give(line: Line): void; close(): Promise<void> } {
  const idle: Line[] = [];
  const waiting: (() => void)[] = [];
  let free = options.connections ?? 1;
  const pass = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return {
    async take() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      const line = idle.pop();
      if (line && !line.isLost()) return line;
      try {
        return openLine(options);
      } catch (error) {
        pass();
        throw asCleoError(error, options);
      }
    },
    give(line) {
      if (!line.isLost()) idle.push(line);
      pass();
    },
    async close() {
      await Promise.all(idle.splice(0).map((line) => line.end()));
    },
  };
}

function connect({ url }: PostgresOptions, onclose?: () => void): postgres.Sql {
  return postgres(url, {
    max: 1,
    ...(onclose ? { onclose } : {}),
    onnotice: () => {},
    connect_timeout: patienceMs / 1000,
    // We use no arrays; asking for their types costs each connection a round trip.
    fetch_types: false,
    // Otherwise it closes an old connection between two statements of a transaction.
    max_lifetime: null,
    // Counts and sequences stay far below 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  }) as unknown as postgres.Sql;
}

const dbOn = (line: Line): Db => ({
  engine: 'postgres',
  all: (statement) => line.ask(numbered(statement), statement.values),
  run: async (statement) => {
    await line.ask(numbered(statement), statement.values);
  },
});

const numbered = (statement: Sql): string => statement.parts.reduce((text, part, i) => `${text}$${i}${part}`);

async function checkVersion(line: Line, options: PostgresOptions): Promise<void> {
  const rows = await line.ask(
    `select 1 as found from information_schema.tables where table_schema = $1 and table_name = 'schema_migrations'`,
    [options.schema],
  );
  if (rows.length === 0)
    throw new CleoError('E_STORE_DAMAGED', { path: options.schema, problem: 'the project has no schema on this server', missing: true });
  const [row] = await line.ask('select max(version) as version from schema_migrations');
  checkKnown(Number(row?.version));
}

function checkKnown(found: number): void {
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

/** What a server says in codes, in ours. Exported for its test: most of these no test can provoke. */
export function asCleoError(error: unknown, options: PostgresOptions): unknown {
  if (error instanceof CleoError) return error;
  const code = codeOf(error);
  const { message } = error as Error;
  const { schema: path } = options;
  const onServer = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo doctor' }, { cause: error });
  // A lock that was not had in time, or a time limit of the server's own.
  if (code === '55P03' || code === '57014')
    return new CleoError('E_LOCK_TIMEOUT', { waitedMs: options.busyTimeoutMs, path }, { cause: error });
  if (code === '53100') return onServer("the server's disk is full; nothing was changed");
  if (code === '58030') return onServer(`the server's disk reports an error; nothing was changed (${message})`);
  if (code === '25006') return onServer('the server takes no writes; nothing was changed');
  if (code === '42501') return onServer(`the server does not allow it; nothing was changed (${message})`);
  if (/^(XX00[12]|58P01)$/.test(code))
    return new CleoError('E_STORE_DAMAGED', { path, problem: `the server finds its files damaged (${message})` }, { cause: error });
  return isConnectionLoss(error) || isUnreachable.test(code) ? unreachable(options, error) : error;
}

/** No such host or database, no right to enter, no room for one more, no certificate to trust, no address at all. */
const isUnreachable =
  /^(ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|28|3D|53|CONNECT|SASL|ERR_TLS|ERR_SSL|ERR_INVALID_URL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

function withoutPassword(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port ? `:${port}` : ''}${pathname}`;
  } catch {
    return 'the configured address';
  }
}
