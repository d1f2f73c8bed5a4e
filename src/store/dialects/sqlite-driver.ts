import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';

/** The part of `node:sqlite` that we use; `@photostructure/sqlite` has the same. */
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
  /** Page by page into another file, in one transaction of that file; waits for its write lock. */
  backup?: (source: SqliteDatabase, path: string, options: { rate: number }) => Promise<number>;
}

/** Before this one SQLite can lose committed writes when one connection checkpoints while another writes. */
const oldestSafe = [3, 51, 3];

export function sqliteDriver(): SqliteDriver {
  const builtIn = process.versions.sqlite;
  if (builtIn && isAtLeast(builtIn, oldestSafe))
    return quietly(() => process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as SqliteDriver);
  try {
    return (
      prebuilt() ?? (process.getBuiltinModule('node:module').createRequire(import.meta.filename)('@photostructure/sqlite') as SqliteDriver)
    );
  } catch (error) {
    throw new CleoError('E_DEPENDENCY_ERROR', {
      tool: 'SQLite',
      problem: `neither node:sqlite ≥ ${oldestSafe.join('.')} nor @photostructure/sqlite can be loaded (${(error as Error).message})`,
    });
  }
}

/** Loading the `.node` file itself, from where npm puts it, saves a quarter of a Node start over the package's wrapper. */
function prebuilt(): SqliteDriver | undefined {
  const ctx = dirname(import.meta.filename);
  for (const modules of ['../node_modules', '../..', '../../node_modules', '../../../node_modules'])
    for (const libc of ['glibc', 'musl']) {
      const path = join(
        ctx,
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
        // The other libc, or the wrapper, which knows more places to look.
      }
    }
  return undefined;
}

/** Node announces `node:sqlite` as experimental on stderr, where only our own diagnostics belong. */
function quietly<T>(load: () => T): T {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}

function isAtLeast(version: string, least: number[]): boolean {
  const parts = version.split('.').map(Number);
  for (let i = 0; i < least.length; i++) if ((parts[i] ?? 0) !== least[i]) return (parts[i] ?? 0) > least[i]!;
  return true;
}
