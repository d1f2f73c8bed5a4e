import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';
import { type Call, dispatch, type Reply } from '../src/dispatch/dispatch.ts';
import { buildHouse } from '../src/main.ts';
import { platformOf } from '../src/platform/platform.ts';
import { createSqlite } from '../src/store/dialects/sqlite.ts';
import type { Store } from '../src/store/port.ts';
import { buildWorld } from './world.ts';

export interface HouseOptions {
  /** Tasks that exist before; see `buildWorld`. */
  tasks?: string[];
  config?: Record<string, unknown>;
  agent?: string;
  env?: Record<string, string>;
  /** The clock; a test may move it. */
  clock?: { now: string };
  engine?: 'sqlite' | 'postgres';
}

/** Success and failure envelopes in one shape, so that a test can look at either. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at many shapes
export type Seen = Record<string, any>;

export interface TestHouse {
  root: string;
  store: Store;
  env: Record<string, string>;
  call(operation: string, params?: Record<string, unknown>, more?: Partial<Call>): Promise<Seen>;
  reply(operation: string, params?: Record<string, unknown>, more?: Partial<Call>): Promise<Reply>;
  /** The same project, seen by another agent. */
  as(agent: string): Pick<TestHouse, 'call' | 'reply'>;
}

const opened: { template?: string } = {};

/** A fresh project in an empty folder, on the engine that this test run is for; gone when the test ends. */
export async function openHouse(options: HouseOptions = {}): Promise<TestHouse> {
  const engine = options.engine ?? (process.env.CLEO_TEST_ENGINE as HouseOptions['engine']) ?? 'sqlite';
  const root = mkdtempSync(join(tmpdir(), 'cleo-test-'));
  mkdirSync(join(root, '.cleo'));
  const key = `t${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  writeFileSync(join(root, '.cleo', 'config.json'), JSON.stringify({ ...options.config, project: { key } }));
  const env: Record<string, string> = {
    CLEO_HOME: join(root, 'home'),
    CLEO_ROOT: root,
    CLEO_AGENT_ID: options.agent ?? 'tester',
    ...options.env,
  };
  if (engine === 'postgres') env.CLEO_DATABASE_URL = inject('databaseUrl');
  await createStore(engine, root, key, env);

  const houseOf = (agent?: string) => {
    const platform = platformOf({ ...env, ...(agent ? { CLEO_AGENT_ID: agent } : {}) }, root, '0.0.0-test');
    return buildHouse(options.clock ? { ...platform, now: () => options.clock!.now } : platform);
  };
  const house = houseOf();
  const store = await house.openStore('write');
  const doors = (agent?: string): Pick<TestHouse, 'call' | 'reply'> => {
    const door = agent ? { ...houseOf(agent), openStore: house.openStore, closeStores: house.closeStores } : house;
    const reply: TestHouse['reply'] = (operation, params = {}, more = {}) => dispatch(door, { operation, params, gateway: 'cli', ...more });
    return { reply, call: async (...args) => (await reply(...args)).envelope };
  };
  await buildWorld(store, options.tasks ?? []);
  onTestFinished(async () => {
    await house.closeStores();
    if (engine === 'postgres') await dropSchema(env.CLEO_DATABASE_URL ?? '', key);
    rmSync(root, { recursive: true, force: true });
  });
  return { root, store, env, ...doors(), as: doors };
}

async function createStore(engine: 'sqlite' | 'postgres', root: string, key: string, env: Record<string, string>): Promise<void> {
  const at = '2026-01-01T00:00:00.000Z';
  if (engine === 'postgres') {
    const { createPostgres } = await import('../src/store/dialects/postgres.ts');
    await createPostgres({ url: env.CLEO_DATABASE_URL ?? '', schema: `cleo_${key}`, busyTimeoutMs: 15000 }, at);
    return;
  }
  if (!opened.template) {
    const folder = mkdtempSync(join(tmpdir(), 'cleo-template-'));
    opened.template = join(folder, 'cleo.db');
    await createSqlite(opened.template, at);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
  copyFileSync(opened.template, join(root, '.cleo', 'cleo.db'));
}

async function dropSchema(url: string, key: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  await client.unsafe(`drop schema if exists "cleo_${key}" cascade`);
  await client.end({ timeout: 5 });
}
