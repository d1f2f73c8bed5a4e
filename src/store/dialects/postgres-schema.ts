import { markerVersion, parseMarker } from '../move/marker.ts';
import { createPostgresTables } from '../move/postgres-tables.ts';
import { checkNotNewer, checkSchemaVersion, schemaVersion } from '../schema-version.ts';
import type { PostgresOptions } from './postgres.ts';
import { type Connection, openConnection } from './postgres-connection.ts';
import { createUnreachableError, fromPostgresError, isTransient } from './postgres-errors.ts';
import { formatProjectLock } from './postgres-transaction.ts';

/** Creates the project's schema; returns the versions before and after. With `upgrade` it also migrates one of an earlier version, which
 *  needs a decision, because clients of that version cannot use it any more. */
export async function createPostgres(
  options: PostgresOptions,
  at: string,
  mode: 'create' | 'upgrade' = 'upgrade',
): Promise<{ from: number; to: number }> {
  let connection: Connection | undefined;
  try {
    connection = openConnection(options);
    await connection.query('begin');
    await createExtension(connection);
    const versions = await applyMigrations(connection, options, at, mode);
    await connection.query('commit');
    return versions;
  } catch (error) {
    // An address that was never used is more likely wrong than its server busy, so that nothing is retried.
    throw isTransient(error) ? createUnreachableError(options, error) : fromPostgresError(error, options);
  } finally {
    // Ending the connection rolls back an open transaction.
    await connection?.end();
  }
}

/** Creates the extension inside a transaction. Two transactions that create one at once would collide. */
export async function createExtension(connection: Connection): Promise<void> {
  await connection.query(`select pg_advisory_xact_lock(hashtextextended('cleo migrations', 0))`);
  await connection.query('create extension if not exists pg_trgm with schema public');
}

/** Creates the schema and applies the migrations that it does not have, inside a transaction. */
export async function applyMigrations(
  connection: Connection,
  options: PostgresOptions,
  at: string,
  mode: 'create' | 'upgrade' = 'create',
): Promise<{ from: number; to: number }> {
  const { migrations } = await import('../migrations/all.ts');
  const { checkAppliedMigrations, computeChecksum, getStatements } = await import('../migrations/migration.ts');
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
  const marker = applied.find(({ version }) => version === markerVersion);
  if (marker) throw (await import('../move/check-marker.ts')).createMovedError(parseMarker(marker.checksum));
  checkNotNewer(from);
  checkAppliedMigrations(applied, migrations);
  if (from > 0 && from < schemaVersion) {
    if (mode === 'create') checkSchemaVersion(from);
    // Writers wait, so that the backup has all of their changes.
    await connection.query(`select ${formatProjectLock(options.schema)}`);
    await options.beforeMigration?.({ backupTo: (file) => dumpSchema(connection, options, { file, version: from, at }) });
  }
  for (const migration of migrations.filter((m) => m.version > from)) {
    await connection.runScript(getStatements(migration, 'postgres'));
    await connection.query('insert into schema_migrations (version, checksum, applied_at) values ($1, $2, $3)', [
      migration.version,
      computeChecksum(migration),
      at,
    ]);
  }
  return { from, to: schemaVersion };
}

/** Copies the schema into a SQLite file with the same version, which `backup restore` can restore in a project on SQLite. */
const dumpSchema = async (
  connection: Connection,
  options: PostgresOptions,
  dump: { file: string; version: number; at: string },
): Promise<void> =>
  (await import('../move/move-store.ts')).dumpStore(createPostgresTables(connection, options), dump, options.busyTimeoutMs);
