import { checkNotNewer, schemaVersion } from '../schema-version.ts';
import { readSchema, type SqliteOptions } from './sqlite.ts';
import { convertErrors, createDamagedError, type SqliteDatabase } from './sqlite-driver.ts';
import { migrateSqlite } from './sqlite-schema.ts';

/** Migrates an older schema in one transaction, after a backup. */
export async function upgradeSqlite(
  database: SqliteDatabase,
  options: SqliteOptions,
  { backupTo, write }: { backupTo(file: string): Promise<void>; write(work: () => Promise<void>): Promise<void> },
): Promise<{ from: number; to: number }> {
  const from = convertErrors(options, () => readSchema(database))?.version;
  if (from === undefined) throw createDamagedError(options, 'is not a cleo database');
  checkNotNewer(from);
  if (from < schemaVersion) {
    await options.beforeMigration?.({ backupTo });
    await write(async () => convertErrors(options, () => migrateSqlite(database, new Date().toISOString())));
  }
  return { from, to: schemaVersion };
}
