import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import { type App, dispatch, type Reply } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { createPostgres } from '../../src/store/dialects/postgres-schema.ts';
import type { PostgresServer } from '../postgres.ts';
import { createFaultFolder } from './processes.ts';

export interface Team {
  schema: string;
  apps: App[];
  call(member: number, operation: string, params: Record<string, unknown>, more?: { idempotencyKey?: string }): Promise<Reply>;
  add(member: number, title: string): Promise<Reply>;
  /** Runs a query on the server; `$` stands for the schema. */
  rows(query: string): Promise<Record<string, unknown>[]>;
}

interface TeamOptions {
  busyTimeoutMs?: number;
  /** The address that the apps use, if it is another one than that of the server. */
  url?: string;
  /** The schema of a team that exists. */
  schema?: string;
}

/** Opens several apps on one project, each with its own connections, like several machines. */
export async function openTeam(server: Pick<PostgresServer, 'url'>, members: number, options: TeamOptions = {}): Promise<Team> {
  const { url = server.url, schema = `cleo_f${Math.random().toString(36).slice(2, 10)}`, ...store } = options;
  const key = schema.slice('cleo_'.length);
  if (!options.schema) await createPostgres({ url: server.url, schema, busyTimeoutMs: 15_000 }, '2026-01-01T00:00:00.000Z');
  const apps = Array.from({ length: members }, (_, i) => {
    const folder = createFaultFolder();
    mkdirSync(join(folder, '.cleo'));
    writeFileSync(join(folder, '.cleo', 'config.json'), JSON.stringify({ project: { key }, store }));
    const env = { CLEO_ROOT: folder, CLEO_HOME: join(folder, 'home'), CLEO_AGENT_ID: `agent-${i}`, CLEO_DATABASE_URL: url };
    return createApp(createPlatform(env, folder, '0.0.0-test'));
  });
  onTestFinished(async () => {
    for (const app of apps) await app.closeStores();
  });
  const call: Team['call'] = (member, operation, params, more = {}) =>
    dispatch(apps[member]!, { operation, gateway: 'cli', params, ...more });
  return {
    schema,
    apps,
    call,
    add: (member, title) => call(member, 'tasks.add', { title }),
    async rows(query) {
      const client = postgres(server.url, { max: 1, onnotice: () => {} });
      try {
        return [...(await client.unsafe(query.replaceAll('$', `"${schema}".`)))];
      } finally {
        await client.end({ timeout: 5 });
      }
    },
  };
}
