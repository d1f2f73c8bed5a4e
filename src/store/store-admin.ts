import { CleoError } from '#core/errors/error.ts';
import type { PostgresOptions } from './dialects/postgres.ts';
import { openSqlite, type SqliteOptions } from './dialects/sqlite.ts';
import { buildSqlite, moveAside } from './dialects/sqlite-build.ts';
import { loadSqliteDriver } from './dialects/sqlite-driver.ts';
import { inspectSqlite, restoreSqlite } from './dialects/sqlite-restore.ts';
import { createSqlite } from './dialects/sqlite-schema.ts';
import type { StoreAdmin } from './port/store.ts';

/** A server if `postgres` is set, otherwise a file. */
export interface StoreLocation {
  postgres?: PostgresOptions;
  sqlite: Omit<SqliteOptions, 'mode'>;
}

const locations = new WeakMap<StoreAdmin, StoreLocation>();

export function createStoreAdmin(location: StoreLocation): StoreAdmin {
  const admin: StoreAdmin = {
    ...createEngineAdmin(location),
    moveTo: async (target, request) => (await import('./move/move-store.ts')).moveStore(location, locations.get(target)!, request),
  };
  locations.set(admin, location);
  return admin;
}

function createEngineAdmin({ postgres, sqlite }: StoreLocation): Omit<StoreAdmin, 'moveTo'> {
  if (!postgres)
    return {
      kind: 'sqlite',
      open: async (mode) => openSqlite({ ...sqlite, mode }),
      create: (at) => createSqlite(sqlite.path, at),
      build: (at, fill) => buildSqlite(sqlite, at, fill),
      moveAside: async (at) => moveAside(sqlite, at),
      inspect: async (file = sqlite.path) => inspectSqlite(file),
      restore: (file, at) => restoreSqlite(sqlite, file, at),
    };
  return {
    kind: 'postgres',
    open: async () => (await import('./dialects/postgres.ts')).openPostgres(postgres),
    create: async (at) => (await (await import('./dialects/postgres-schema.ts')).createPostgres(postgres, at, 'create')).from === 0,
    inspect: async () => {
      throw createBackupError();
    },
    build: async () => {
      throw createBackupError();
    },
    moveAside: async () => {
      throw createBackupError();
    },
    restore: async () => {
      throw createBackupError();
    },
  };
}

export const createBackupError = (): CleoError =>
  new CleoError('E_DEPENDENCY_ERROR', {
    tool: 'backup',
    problem: 'a PostgreSQL store is backed up and restored by its server (pg_dump, pg_restore)',
    fix: 'cleo export --output cleo-export.jsonl',
  });

/** Reads the version of the SQLite library; undefined if none can be loaded. */
export function readSqliteVersion(): string | undefined {
  try {
    const database = new (loadSqliteDriver().DatabaseSync)(':memory:', {});
    const [row] = database.prepare('select sqlite_version() as version').all();
    database.close();
    return row ? String(row.version) : undefined;
  } catch {
    return undefined;
  }
}
