import { CleoError } from '#core/errors/error.ts';
import type { PostgresOptions } from './dialects/postgres.ts';
import { openSqlite, type SqliteOptions } from './dialects/sqlite.ts';
import { sqliteDriver } from './dialects/sqlite-driver.ts';
import { inspectSqlite, restoreSqlite } from './dialects/sqlite-restore.ts';
import { createSqlite } from './dialects/sqlite-schema.ts';
import type { StoreAdmin } from './port.ts';

/** On a server, if `postgres` is there; else in a file. */
export interface StoreLocation {
  postgres?: PostgresOptions;
  sqlite: Omit<SqliteOptions, 'mode'>;
}

export function createStoreAdmin({ postgres, sqlite }: StoreLocation): StoreAdmin {
  if (!postgres)
    return {
      kind: 'sqlite',
      open: async (mode) => openSqlite({ ...sqlite, mode }),
      create: (at) => createSqlite(sqlite.path, at),
      inspect: async (file = sqlite.path) => inspectSqlite(file),
      restore: (file, at) => restoreSqlite(sqlite, file, at),
    };
  return {
    kind: 'postgres',
    open: async () => (await import('./dialects/postgres.ts')).openPostgres(postgres),
    create: async (at) => (await (await import('./dialects/postgres.ts')).createPostgres(postgres, at)).from === 0,
    inspect: async () => {
      throw serverKeepsBackups();
    },
    restore: async () => {
      throw serverKeepsBackups();
    },
  };
}

export const serverKeepsBackups = (): CleoError =>
  new CleoError('E_DEPENDENCY_ERROR', {
    tool: 'backup',
    problem: 'a PostgreSQL store is backed up and restored by its server (pg_dump, pg_restore)',
    fix: 'cleo export --output cleo-export.jsonl',
  });

/** Of the library in use; undefined where none can be loaded. */
export function sqliteVersion(): string | undefined {
  try {
    const database = new (sqliteDriver().DatabaseSync)(':memory:', {});
    const [row] = database.prepare('select sqlite_version() as version').all();
    database.close();
    return row ? String(row.version) : undefined;
  } catch {
    return undefined;
  }
}
