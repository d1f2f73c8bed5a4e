import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectClient } from '../mcp-client.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { createFaultFolder, type FaultProject, isFull, openFaultProject } from './processes.ts';
import { startServer } from './server-process.ts';

let server: PostgresServer;
let admin: postgres.Sql;
beforeAll(async () => {
  server = await startPostgres();
  admin = postgres(server.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await admin?.end({ timeout: 5 });
  await server?.stop();
});

async function createTeamProject(): Promise<FaultProject & { env: Record<string, string> }> {
  const env = { CLEO_DATABASE_URL: server.url };
  const project = openFaultProject(createFaultFolder(), env);
  await project.runOk(['init']);
  await project.runOk(['add', 'Write the parser']);
  return { ...project, env };
}

interface Backend {
  pid: number;
  since: string;
}

/** Lists the connections of other clients than this test, with the time of their last query. */
const listBackends = async (): Promise<Backend[]> =>
  (
    await admin`
      select pid, query_start::text as since from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid`
  ).map(({ pid, since }) => ({ pid, since }));

/** Returns the largest number of connections that were open at once while `work` ran. */
async function countConnections(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  let most = 0;
  while (!isOver) {
    most = Math.max(most, (await listBackends()).length);
    await sleep(5);
  }
  await ended;
  return most;
}

test('a server has one connection for writes, two for reads and one that listens, and asks nothing while agents wait', async () => {
  const project = await createTeamProject();
  const { post, send } = await startServer(project, [], project.env);
  const call = async (path: string, params: object, agent: string): Promise<string> =>
    (await send('POST', `/api/${path}`, JSON.stringify(params), { 'cleo-agent': agent })).text;
  await call('mutate/tasks/start', { taskId: 'T001' }, 'agent-0');
  const load = Array.from({ length: 30 }, async (_, i) => {
    await call('query/tasks/list', {}, `agent-${i}`);
    await call('mutate/tasks/update', { taskId: 'T001', notes: `Note ${i}` }, 'agent-0');
    await call('query/tasks/show', { taskId: 'T001' }, `agent-${i}`);
  });
  const waiting = Array.from({ length: 10 }, (_, i) => call('mutate/tasks/claim-next', { wait: true, timeout: 40 }, `waiting-${i}`));
  expect(await countConnections(Promise.all(load))).toBeLessThanOrEqual(4);
  await sleep(1000);
  const before = await listBackends();
  await sleep(isFull ? 20_000 : 1500);
  expect(await listBackends()).toEqual(before);
  for (let i = 0; i < waiting.length; i++) await post('mutate/tasks/add', { title: `Part ${i}` });
  const ids = (await Promise.all(waiting)).map((text) => JSON.parse(text).task?.id);
  expect(new Set(ids).size).toBe(waiting.length);
});

test('cleo mcp has at most two connections, and none after a minute of silence', async () => {
  const project = await createTeamProject();
  const { call, client } = await connectClient({ root: project.root, env: { ...project.env, CLEO_HOME: `${project.root}/.home` } });
  const load = Array.from({ length: 20 }, async (_, i) => {
    await call('query', 'tasks.show', { taskId: 'T001' });
    await call('mutate', 'tasks.update', { taskId: 'T001', notes: `Note ${i}` });
  });
  expect(await countConnections(Promise.all(load))).toBeLessThanOrEqual(2);
  expect((await listBackends()).length).toBeGreaterThan(0);
  if (isFull) await expect.poll(listBackends, { timeout: 60_000, interval: 500 }).toEqual([]);
  await client.close();
});

test('the health check fails while the database is down, and succeeds when it is back', async () => {
  const project = await createTeamProject();
  const { send } = await startServer(project, [], project.env);
  const check = async (): Promise<[number, string]> => {
    const { status, text } = await send('GET', '/healthz');
    return [status, JSON.parse(text).status];
  };
  const restart = server.restart(6000);
  expect(await check()).toEqual([503, 'failing']);
  await restart;
  await expect.poll(check, { timeout: 30_000 }).toEqual([200, 'ok']);
});
