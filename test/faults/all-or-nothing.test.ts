import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { registry } from '../../src/core/index.generated.ts';
import { type App, dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { openSqlite } from '../../src/store/dialects/sqlite.ts';
import { loadSqliteDriver, type SqliteDriver } from '../../src/store/dialects/sqlite-driver.ts';
import { asPerson, openApp } from '../app.ts';
import { needsPerson } from '../person-token.ts';

/** Wraps the driver so that the nth statement from now on fails like a failing disk. Rollback still works. */
function createFailingDriver(): { driver: SqliteDriver; failAt(nth: number): void; hasFailed(): boolean } {
  const { DatabaseSync } = loadSqliteDriver();
  let left = Number.POSITIVE_INFINITY;
  const step = (): void => {
    if (--left === 0) throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
  };
  class Fragile {
    readonly #real: InstanceType<SqliteDriver['DatabaseSync']>;
    constructor(path: string, options: object) {
      this.#real = new DatabaseSync(path, options);
    }
    exec(statement: string): void {
      if (/^(begin|commit)/.test(statement)) step();
      this.#real.exec(statement);
    }
    prepare(statement: string) {
      const real = this.#real.prepare(statement);
      return {
        all: (...values: never[]) => {
          step();
          return real.all(...values);
        },
        run: (...values: never[]) => {
          step();
          return real.run(...values);
        },
      };
    }
    close(): void {
      this.#real.close();
    }
  }
  return {
    driver: { DatabaseSync: Fragile },
    failAt(nth) {
      left = nth;
    },
    hasFailed: () => left <= 0,
  };
}

/** Reads all rows of all tables through another connection, search included. */
function createDump(path: string): () => Record<string, string> {
  const database = new (loadSqliteDriver().DatabaseSync)(path, {});
  onTestFinished(() => database.close());
  const ask = (statement: string) => database.prepare(statement).all();
  return () =>
    Object.fromEntries(
      ask(`select name from sqlite_schema where type = 'table' and sql not like 'create virtual%' order by name`).map(({ name }) => {
        const columns = ask(`pragma table_info("${name}")`).map((column) => `quote("${column.name}")`);
        return [name, JSON.stringify(ask(`select ${columns.join(', ')} from "${name}"`))];
      }),
    );
}

for (const entry of registry.entries.filter(({ kind }) => kind === 'mutation'))
  test(`${entry.name}: a failure of any statement changes nothing, and the next call succeeds`, async () => {
    const operation = await entry.load();
    const { example, canDryRun } = operation;
    const { root, env } = await openApp({ tasks: example.world ?? [], engine: 'sqlite' });
    const path = join(root, '.cleo', 'cleo.db');
    const { driver, failAt, hasFailed } = createFailingDriver();
    const store = openSqlite({ path, mode: 'write', busyTimeoutMs: 1000, durability: 'normal', newestBackup: () => undefined, driver });
    onTestFinished(() => store.close());
    const app: App = { ...createApp(createPlatform(env, root, '0.0.0-test')), openStore: async () => store };
    const dump = createDump(path);
    const call = (params: Record<string, unknown>) =>
      dispatch(app, {
        operation: entry.name,
        params,
        gateway: 'cli',
        idempotencyKey: 'the-key',
        ...(needsPerson(operation) ? asPerson : {}),
      });

    const before = dump();
    expect(Object.keys(before)).toContain('task_history');
    let failures = 0;
    const { dryRun: _, ...real } = { dryRun: true, ...example.call };
    for (const params of canDryRun ? [{ ...real, dryRun: true }, real] : [real]) {
      for (let nth = 1; ; nth++) {
        // A sync writes its files before the transaction ends; the next one continues with them.
        rmSync(join(root, '.cleo', 'plan'), { recursive: true, force: true });
        failAt(nth);
        const { exitCode } = await call(params);
        if (!hasFailed()) {
          expect(exitCode).toBe(example.exit ?? 0);
          break;
        }
        failures++;
        expect([nth, exitCode]).toEqual([nth, 3]);
        expect(dump()).toEqual(before);
      }
    }
    // Begin, the idempotency key, the audit entry and commit are at least these.
    expect(failures).toBeGreaterThan(5);
    // A published document is a file, which is written after the answer.
    if ((example.exit ?? 0) !== 0 || operation.name === 'docs.publish') return;
    // The example must write more than the log entry and the key.
    const after = dump();
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    expect(changed.filter((table) => !['audit_log', 'audit_head', 'audit_updates', 'idempotency_keys'].includes(table))).not.toEqual([]);
  });
