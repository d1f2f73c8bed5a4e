import '../errors.ts';
import { CleoError } from '#core/errors/error.ts';
import type { PostgresOptions } from '../dialects/postgres.ts';
import { type Connection, openConnection } from '../dialects/postgres-connection.ts';
import {
  createMissingSchemaError,
  createUnreachableError,
  fromPostgresError,
  isConnectionLoss,
  isTransient,
} from '../dialects/postgres-errors.ts';
import { applyMigrations, createExtension } from '../dialects/postgres-schema.ts';
import { formatProjectLock } from '../dialects/postgres-transaction.ts';
import { checkSchemaVersion } from '../schema-version.ts';
import { formatMarker, markerVersion, parseMarker } from './marker.ts';
import type { LockedStore, MoveTarget, StoreIdentity } from './move-store.ts';
import { createPostgresTables } from './postgres-tables.ts';

/** The server ends a move whose client is silent for so long. */
const maxPauseInTransaction = '30s';

const begin = ({ schema, busyTimeoutMs }: PostgresOptions): string =>
  [
    'begin',
    `set local search_path to "${schema}", public`,
    `set local idle_in_transaction_session_timeout to '${maxPauseInTransaction}'`,
    `set local lock_timeout to '${busyTimeoutMs}ms'`,
    // A copy takes longer than a call.
    'set local statement_timeout to 0',
    `select ${formatProjectLock(schema)}`,
  ].join(';\n');

/** Takes the write lock of the present store until the move ends: other writers wait, readers do not. */
export async function lockPostgres(options: PostgresOptions): Promise<LockedStore> {
  const connection = openConnection(options);
  try {
    await connection.runScript(begin(options));
    const identity = await readIdentity(connection, options);
    if (!identity) throw createMissingSchemaError(options, undefined);
    checkSchemaVersion(identity.version);
    return {
      tables: createPostgresTables(connection, options),
      identity,
      async commitMoved(moved) {
        try {
          await setMarker(connection, formatMarker(moved), moved.at);
          await connection.query('commit');
        } catch (error) {
          // Running the move again completes it, or copies the store again.
          if (isConnectionLoss(error))
            throw new CleoError('E_OUTCOME_UNKNOWN', { problem: 'The connection broke during commit' }, { cause: error });
          throw fromPostgresError(error, options);
        }
      },
      // Ending the connection rolls back an open transaction.
      end: () => connection.end(),
    };
  } catch (error) {
    await connection.end();
    throw fromPostgresError(error, options);
  }
}

const setMarker = (connection: Connection, marker: string, at: string): Promise<unknown> =>
  connection.query(
    `insert into schema_migrations (version, checksum, applied_at) values (${markerVersion}, $1, $2)
     on conflict (version) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`,
    [marker, at],
  );

/** Reads what the schema holds; undefined if it has no tables of cleo. */
async function readIdentity(
  connection: Connection,
  { schema }: PostgresOptions,
): Promise<(StoreIdentity & { version: number }) | undefined> {
  const [tables] = await connection.query(
    `select to_regclass('"${schema}".schema_migrations') is not null as is_store, to_regclass('"${schema}".store_facts') is not null as has_facts`,
  );
  if (!tables?.is_store) return undefined;
  const [step] = await connection.query(
    `select max(version) as version, max(case when version = ${markerVersion} then checksum end) as marker from "${schema}".schema_migrations`,
  );
  const [facts] = tables.has_facts
    ? await connection.query(
        `select f.value as replica, h.seq, h.hash from "${schema}".store_facts f left join "${schema}".audit_head h on true
         where f.name = 'replica'`,
      )
    : [];
  return {
    version: Number(step?.version),
    replica: String(facts?.replica ?? ''),
    ...(facts && facts.seq !== null ? { head: { seq: Number(facts.seq), hash: String(facts.hash) } } : {}),
    ...(step?.marker ? { marker: parseMarker(String(step.marker)) } : {}),
  };
}

export function createPostgresTarget(options: PostgresOptions): MoveTarget {
  const { schema } = options;
  const use = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    let connection: Connection | undefined;
    try {
      connection = openConnection(options);
      return await work(connection);
    } catch (error) {
      // An address that was never used is more likely wrong than its server busy.
      throw isTransient(error) ? createUnreachableError(options, error) : fromPostgresError(error, options);
    } finally {
      await connection?.end();
    }
  };
  return {
    inspect: () => use((connection) => readIdentity(connection, options)),
    build: (present, marker, { copy, verify }) =>
      use(async (connection) => {
        await connection.query('begin');
        await createExtension(connection);
        await connection.query('commit');
        await connection.runScript(begin(options));
        let aside: string | undefined;
        // The copy of a move that was interrupted is not in use.
        if (present?.marker?.state === 'incoming') await connection.query(`drop schema "${schema}" cascade`);
        if (present?.marker?.state === 'moved') {
          aside = toAsideName(schema, marker.at);
          await connection.query(`alter schema "${schema}" rename to "${aside}"`);
        }
        await applyMigrations(connection, options, marker.at);
        const tables = createPostgresTables(connection, options);
        await copy(tables);
        await verify(tables);
        await setMarker(connection, formatMarker(marker), marker.at);
        await connection.query('commit');
        return aside;
      }),
    activate: () =>
      use(async (connection) => {
        await connection.query(`delete from "${schema}".schema_migrations where version = ${markerVersion}`);
      }),
  };
}

const maxNameLength = 63;

/** The name that a schema gets when a later copy takes its place. PostgreSQL cuts longer names. */
const toAsideName = (schema: string, at: string): string => {
  const end = `_m${at.replace(/\D/g, '').slice(0, 17)}`;
  return `${schema.slice(0, maxNameLength - end.length)}${end}`;
};
