import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { keepLogsAtExit } from './sqlite-bun.ts';

/** The part of `node:sqlite` that is used here; `@photostructure/sqlite` has the same interface. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  all(...values: (string | number | null)[]): Record<string, string | number | null>[];
  run(...values: (string | number | null)[]): unknown;
}

export interface SqliteDriver {
  DatabaseSync: new (path: string, options: { readOnly?: boolean; timeout?: number }) => SqliteDatabase;
  /** Copies the pages into another file in one transaction of that file, and waits for its write lock. */
  backup?: (source: SqliteDatabase, path: string, options: { rate: number }) => Promise<number>;
}

/** Earlier versions can lose committed writes when one connection checkpoints while another writes. */
const minSafeVersion = [3, 51, 3];

export function loadSqliteDriver(): SqliteDriver {
  const builtIn = process.versions.sqlite;
  if (builtIn && isAtLeast(builtIn, minSafeVersion)) return loadBuiltIn();
  try {
    return (
      loadPrebuilt() ??
      (process.getBuiltinModule('node:module').createRequire(import.meta.filename)('@photostructure/sqlite') as SqliteDriver)
    );
  } catch (error) {
    throw new CleoError('E_DEPENDENCY_ERROR', {
      tool: 'SQLite',
      problem: `neither node:sqlite ≥ ${minSafeVersion.join('.')} nor @photostructure/sqlite can be loaded (${(error as Error).message})`,
      manual: 'Update Node.js, or install cleo again',
    });
  }
}

function loadBuiltIn(): SqliteDriver {
  const driver = suppressWarnings(() => process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as SqliteDriver);
  // The build for Node leaves this branch out.
  if (process.versions.bun) {
    bunDriver ??= keepLogsAtExit(driver);
    return bunDriver;
  }
  return driver;
}

let bunDriver: SqliteDriver | undefined;

/** Loads the `.node` file from where npm puts it. This is faster than the package's wrapper by a quarter of a Node start. */
function loadPrebuilt(): SqliteDriver | undefined {
  const folder = dirname(import.meta.filename);
  for (const modules of ['../node_modules', '../..', '../../node_modules', '../../../node_modules'])
    for (const libc of ['glibc', 'musl']) {
      const path = resolve(
        folder,
        modules,
        '@photostructure',
        'sqlite',
        'prebuilds',
        `${process.platform}-${process.arch}`,
        `@photostructure+sqlite.${libc}.node`,
      );
      if (!existsSync(path)) continue;
      try {
        const addon = { exports: {} };
        process.dlopen(addon, path);
        return addon.exports as SqliteDriver;
      } catch {
        // Try the other libc, then the wrapper, which searches more folders.
      }
    }
  return undefined;
}

/** Loads a module without Node's warning on stderr that `node:sqlite` is experimental. */
function suppressWarnings<T>(load: () => T): T {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}

function isAtLeast(version: string, min: number[]): boolean {
  const parts = version.split('.').map(Number);
  for (let i = 0; i < min.length; i++) if ((parts[i] ?? 0) !== min[i]) return (parts[i] ?? 0) > min[i]!;
  return true;
}
