import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { fillStore } from '../../bench/fill.ts';
import { median } from '../../src/lib/statistics.ts';
import { openPostgres } from '../../src/store/dialects/postgres.ts';
import { createFaultFolder, type FaultProject, openFaultProject, pickSize } from '../faults/processes.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';

/** Creates a project on the server in which all tasks are open. */
async function createProject(server: PostgresServer, count: number): Promise<FaultProject> {
  const project = openFaultProject(createFaultFolder(), { CLEO_DATABASE_URL: server.url, CLEO_AGENT_ID: 'agent-1' });
  const before = await listSchemas(server);
  await project.runOk(['init']);
  const schema = (await listSchemas(server)).find((name) => !before.includes(name))!;
  const store = openPostgres({ url: server.url, schema, busyTimeoutMs: 5000 });
  await fillStore(store, count, count);
  await store.close();
  return project;
}

async function listSchemas({ url }: PostgresServer): Promise<string[]> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  const rows = await client`select nspname as name from pg_namespace`;
  await client.end({ timeout: 5 });
  return rows.map(({ name }) => String(name));
}

async function measureMs(project: FaultProject, args: string[]): Promise<number> {
  const began = performance.now();
  await project.runOk(args);
  return performance.now() - began;
}

// `npm run bench` measures the same on SQLite.
test('next and claim-next on PostgreSQL take as long with many open tasks as with 1,000', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const many = pickSize(20_000, 100_000);
  const projects = { few: await createProject(server, 1000), many: await createProject(server, many) };
  for (const args of [['next'], ['next', '--claim']]) {
    const times = { few: [] as number[], many: [] as number[] };
    // The first round prepares caches.
    for (let round = -1; round < pickSize(9, 25); round++)
      for (const size of ['few', 'many'] as const) {
        const ms = await measureMs(projects[size], args);
        if (round >= 0) times[size].push(ms);
      }
    const ratio = median(times.many)! / median(times.few)!;
    console.log(`${args.join(' ')} with ${many} open tasks against 1,000 on PostgreSQL: ${ratio.toFixed(2)}`);
    expect(ratio).toBeLessThanOrEqual(1.5);
  }
  const { checks } = await projects.many.runOk(['doctor']);
  expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
});
