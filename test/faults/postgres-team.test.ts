import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { openCountingProxy } from './counting-proxy.ts';
import { createFaultFolder, type EndedProcess, type FaultProject, isFull, openFaultProject, pickSize, runInRows } from './processes.ts';

const maxConnections = pickSize(12, 100);
let server: PostgresServer;
let admin: postgres.Sql;
beforeAll(async () => {
  server = await startPostgres(['-c', `max_connections=${maxConnections}`]);
  admin = postgres(server.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await admin?.end({ timeout: 5 });
  await server?.stop();
});

async function createTeamProject(): Promise<FaultProject> {
  const project = openFaultProject(createFaultFolder(), { CLEO_DATABASE_URL: server.url, CLEO_AGENT_ID: 'agent-1' });
  await project.runOk(['init']);
  return project;
}

/** Waits until a client holds a write lock, and asks for nothing. */
async function waitForLock(): Promise<void> {
  for (let i = 0; i < 400; i++, await sleep(25)) {
    const [row] = await admin`
      select 1 as held from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and a.state = 'idle in transaction'`;
    if (row) return;
  }
  throw new Error('no client took the lock');
}

/** Starts a write over a slow connection; returns when it holds the lock. */
async function startSlowWrite(project: FaultProject, env: Record<string, string> = {}) {
  const proxy = await openCountingProxy(server.url);
  proxy.setDelay(600);
  let child: ChildProcess | undefined;
  const ended = project.run(['add', 'Slow'], {
    env: { CLEO_DATABASE_URL: proxy.url, CLEO_AGENT_ID: 'slow-agent', ...env },
    onStart: (started) => {
      child = started;
    },
  });
  await waitForLock();
  return { proxy, ended, child: child! };
}

const listTitles = async (project: FaultProject): Promise<string[]> =>
  (await project.runOk(['list'])).tasks.map(({ title }: { title: string }) => title).sort();

test('a client that is stopped in the middle of a write frees the lock, and is named by doctor', async () => {
  const project = await createTeamProject();
  const { proxy, ended, child } = await startSlowWrite(project);
  child.kill('SIGSTOP');
  const stoppedAt = performance.now();
  const other = project.runOk(['add', 'Other']);
  await sleep(1200);
  const { findings } = await project.runOk(['doctor']);
  expect(findings.map(({ message }: { message: string }) => message).join('\n')).toMatch(
    /cleo tasks\.add slow-agent \(server process \d+ of cleo from 127\.0\.0\.1\) since 20.*holds the write lock/,
  );
  await other;
  expect(performance.now() - stoppedAt).toBeLessThan(10_000);
  proxy.setDelay(0);
  child.kill('SIGCONT');
  // Its transaction was rolled back, so that it can be repeated.
  expect((await ended).exitCode).toBe(0);
  expect(await listTitles(project)).toEqual(['Other', 'Slow']);
});

test('a client that is cut off in the middle of a write frees the lock, and ends with 7', async () => {
  const project = await createTeamProject();
  const file = join(project.root, '.cleo', 'config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), store: { busyTimeoutMs: 6000 } }));
  const { proxy, ended } = await startSlowWrite(project);
  proxy.freeze();
  const cutAt = performance.now();
  await project.runOk(['add', 'Other']);
  expect(performance.now() - cutAt).toBeLessThan(10_000);
  expect((await ended).exitCode).toBe(7);
  expect(await listTitles(project)).toEqual(['Other']);
});

test('a restart of the server delays writers, and none of them fails', async () => {
  const [writers, pauseMs] = [pickSize(4, 32), pickSize(1500, 6000)];
  const project = await createTeamProject();
  let isOver = false;
  const restart = sleep(500)
    .then(() => server.restart(pauseMs))
    .then(() => sleep(1000))
    .finally(() => {
      isOver = true;
    });
  const ended: EndedProcess[] = [];
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let i = 0; !isOver; i++)
        ended.push(await project.run(['add', `Task ${writer}.${i}`], { env: { CLEO_AGENT_ID: `agent-${writer}` } }));
    }),
  );
  await restart;
  // The outcome of a commit that the restart interrupted is unknown.
  expect(ended.filter(({ exitCode }) => exitCode !== 0 && exitCode !== 21)).toEqual([]);
  const saved = ended.filter(({ exitCode }) => exitCode === 0).length;
  const titles = (await project.runOk(['list', '--limit', '1000'])).tasks.map(({ title }: { title: string }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.length).toBeGreaterThanOrEqual(saved);
  expect(titles.length).toBeLessThanOrEqual(ended.length);
});

test('more processes than connections all succeed or end with 7', async () => {
  const [crowd, each] = [pickSize(20, 128), pickSize(1, 3)];
  const project = await createTeamProject();
  const ended = await runInRows(crowd, each, (row, i) =>
    project.run(['add', `Task ${row}.${i}`], { env: { CLEO_AGENT_ID: `agent-${row}` } }),
  );
  expect(ended.filter(({ exitCode }) => exitCode !== 0 && exitCode !== 7)).toEqual([]);
  const saved = ended.filter(({ exitCode }) => exitCode === 0).length;
  expect(saved).toBeGreaterThan(0);
  expect(await admin`select count(*)::int as n from pg_stat_activity where application_name like 'cleo %'`).toEqual([{ n: 0 }]);
  if (!isFull) expect(await listTitles(project)).toHaveLength(saved);
});
