import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../app.ts';
import { type Pooler, startPgBouncer } from '../pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { createFaultFolder, type FaultProject, openFaultProject, pickSize } from './processes.ts';
import { startServer } from './server-process.ts';
import { setConfig } from './set-config.ts';

let server: PostgresServer;
let pooler: Pooler;
beforeAll(async () => {
  server = await startPostgres();
  const client = postgres(server.url, { max: 1, onnotice: () => {} });
  await client.unsafe('create extension pg_trgm');
  await client.end();
  pooler = await startPgBouncer(server.url);
});
afterAll(async () => {
  await pooler?.stop();
  await server?.stop();
});

async function createPooledProject(): Promise<FaultProject> {
  const project = openFaultProject(createFaultFolder(), { CLEO_DATABASE_URL: pooler.url });
  await project.runOk(['init']);
  return project;
}

test('commands work behind PgBouncer in transaction mode', async () => {
  const { runOk } = await createPooledProject();
  await runOk(['add', 'Write the parser', '--files', 'src/parser.ts']);
  await runOk(['add', 'Test the parser', '--depends', 'T001']);
  expect(await runOk(['next', '--claim'], { env: { CLEO_AGENT_ID: 'ada' } })).toMatchObject({ task: { id: 'T001' } });
  await runOk(['complete', 'T001'], { env: { CLEO_AGENT_ID: 'ada' } });
  const waiting = runOk(['next', '--claim', '--wait', '--timeout', '20'], { env: { CLEO_AGENT_ID: 'eve' } });
  expect(await waiting).toMatchObject({ task: { id: 'T002' } });
  const more = runOk(['next', '--claim', '--wait', '--timeout', '20'], { env: { CLEO_AGENT_ID: 'kim' } });
  await sleep(1000);
  await runOk(['add', 'Document the parser']);
  expect(await more).toMatchObject({ task: { id: 'T003' } });
  expect(JSON.stringify(await runOk(['find', 'document']))).toContain('T003');
});

test.each([
  ['without store.listenUrl', false],
  ['with store.listenUrl', true],
])('a server under load has no failures behind PgBouncer, %s', async (_, hasListenUrl) => {
  const project = await createPooledProject();
  const env = { CLEO_DATABASE_URL: pooler.url };
  await setConfig(project, 'serve.callsPerMinute', '0', env);
  if (hasListenUrl) await setConfig(project, 'store.listenUrl', server.url, env);
  const { send } = await startServer(project, [], env);
  const [agents, rounds] = [pickSize(4, 64), pickSize(2, 20)];
  const failed: string[] = [];
  const ids: string[] = [];
  const call = async (path: string, params: object, agent = 'planner'): Promise<Json> => {
    const { text } = await send('POST', `/api/${path}`, JSON.stringify(params), { 'cleo-agent': agent });
    const body = JSON.parse(text);
    if (!body.success) failed.push(text);
    return body;
  };
  const done = Array.from({ length: agents }, async (_agent, i) => {
    const agent = `agent-${i}`;
    for (let round = 0; round < rounds; round++) {
      // On a busy machine a wait can end without a task; an agent waits again.
      let task: Json | undefined;
      while (task?.id === undefined) ({ task } = await call('mutate/tasks/claim-next', { wait: true, timeout: 60 }, agent));
      const id: string = task.id;
      ids.push(id);
      await call('query/tasks/show', { taskId: id }, agent);
      await call('mutate/tasks/complete', { taskId: id }, agent);
    }
  });
  for (let i = 0; i < agents * rounds; i++) await call('mutate/tasks/add', { title: `Task ${i}` });
  await Promise.all(done);
  expect(failed).toEqual([]);
  expect(new Set(ids).size).toBe(agents * rounds);
});
