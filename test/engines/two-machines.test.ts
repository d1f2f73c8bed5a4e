import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../app.ts';
import { cleoPath, cleoRunner, runCleo } from '../built-cli.ts';
import { readEvents } from '../event-reader.ts';
import { getListenConfig } from '../listen-config.ts';
import { connectClient, createClientOptions } from '../mcp-client.ts';
import { grantToken, toClientEnv } from '../remote-client.ts';
import { createTempFolder } from '../temp-folder.ts';
import { trustProject } from '../trust.ts';

interface Machine {
  root: string;
  env: Record<string, string>;
}

/** Copies a clone as git does: the committed configuration, with a home folder of its own. */
async function cloneProject({ root, env }: TestApp): Promise<Machine> {
  const folder = createTempFolder();
  const clone = join(folder, 'project');
  mkdirSync(join(clone, '.cleo'), { recursive: true });
  cpSync(join(root, '.cleo', 'config.json'), join(clone, '.cleo', 'config.json'));
  const own = { ...env, HOME: join(folder, 'home') };
  delete (own as Record<string, string>).CLEO_HOME;
  await trustProject(clone, own);
  return { root: clone, env: own };
}

/** Starts a command that runs until the test ends, and returns its lines. */
const startProcess = async (machine: Machine, words: string[]): Promise<Json[]> => (await spawnProcess(machine, words)).lines;

const startServerProcess = (machine: Machine, port = '0') => spawnProcess(machine, ['serve', '--port', port]);

async function spawnProcess({ root, env }: Machine, words: string[]) {
  const child = spawn(cleoRunner, [cleoPath, ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const lines: Json[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  await expect.poll(() => lines.length, { timeout: 20_000 }).toBeGreaterThan(0);
  return { child, lines };
}

test('a write on one machine is on the page, in watch and in MCP subscriptions of the other within a second', async () => {
  const app = await openApp({ engine: 'postgres', tasks: ['T001', 'T002'], config: getListenConfig() });
  const one: Machine = app;
  const other = await cloneProject(app);
  const [[first], [second], watched] = await Promise.all([
    startProcess(one, ['serve', '--port', '0']),
    startProcess(other, ['serve', '--port', '0']),
    startProcess(other, ['watch']),
  ]);
  const seen: Record<string, number[]> = { page: [], watch: [], 'mcp over HTTP': [], 'mcp over stdio': [] };
  const note = (where: string): void => void seen[where]!.push(performance.now());

  const page = await readEvents(`${second!.listening.url}/api/events`);
  const subscribe = async (client: Client, where: string): Promise<void> => {
    client.setNotificationHandler('notifications/resources/updated', () => note(where));
    await client.listen({ resourceSubscriptions: ['cleo://task/T001'] });
  };
  const overHttp = new Client({ name: 'test', version: '1' }, createClientOptions('2026-07-28'));
  await overHttp.connect(new StreamableHTTPClientTransport(new URL(second!.listening.mcp)));
  onTestFinished(() => overHttp.close());
  await subscribe(overHttp, 'mcp over HTTP');
  await subscribe((await connectClient(other)).client, 'mcp over stdio');
  // The connections that listen are being opened.
  await sleep(2000);

  const longest: Record<string, number> = {};
  for (let i = 1; i <= 5; i++) {
    const response = await fetch(`${first!.listening.url}/api/mutate/tasks/update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ taskId: 'T001', title: `Change ${i}` }),
    });
    expect(response.status).toBe(200);
    const writtenAt = performance.now();
    await Promise.all([
      page.find(() => page.events.filter(({ data }) => data.updated?.includes('T001')).length >= i).then(() => note('page')),
      expect
        .poll(() => watched.filter(({ updated }) => updated?.includes('T001')).length, { interval: 10, timeout: 10_000 })
        .toBe(i)
        .then(() => note('watch')),
      ...Object.keys(seen).map((where) => expect.poll(() => seen[where]!.length, { interval: 10, timeout: 10_000 }).toBe(i)),
    ]);
    for (const [where, times] of Object.entries(seen)) longest[where] = Math.max(longest[where] ?? 0, times.at(-1)! - writtenAt);
    // A notification that is late must not count for the next write.
    await sleep(100);
  }
  console.log(
    `a write of another machine was seen after at most: ${Object.entries(longest)
      .map(([where, ms]) => `${where} ${Math.round(ms)} ms`)
      .join(', ')}`,
  );
  for (const [where, ms] of Object.entries(longest)) expect(ms, where).toBeLessThan(1000);
  page.close();
});

test('a write of one client of a server is in watch and MCP subscriptions of another within a second, also after a restart', async () => {
  const app = await openApp({ engine: 'postgres', tasks: ['T001', 'T002'], config: getListenConfig() });
  const { child: server, lines } = await startServerProcess(app);
  const url = new URL(lines[0]!.listening.url);
  const openClient = async (name: string): Promise<Machine> => {
    const machine = await cloneProject(app);
    return { root: machine.root, env: { ...toClientEnv(machine, url.origin, await grantToken(app, 'mutate', name)), CLEO_AGENT_ID: name } };
  };
  const [ada, eve] = [await openClient('ada'), await openClient('eve')];
  const watched = await startProcess(eve, ['watch']);
  let notified = 0;
  const { client } = await connectClient(eve);
  client.setNotificationHandler('notifications/resources/updated', () => void notified++);
  await client.listen({ resourceSubscriptions: ['cleo://task/T001'] });
  await sleep(1000);
  const change = async (title: string): Promise<void> => {
    const before = notified;
    const { exitCode } = await runCleo(['update', 'T001', '--title', title], { cwd: ada.root, env: ada.env });
    expect(exitCode).toBe(0);
    const writtenAt = performance.now();
    await expect.poll(() => watched.at(-1), { interval: 10, timeout: 10_000 }).toMatchObject({ agent: 'ada', updated: ['T001'] });
    await expect.poll(() => notified, { interval: 10, timeout: 10_000 }).toBeGreaterThan(before);
    expect(performance.now() - writtenAt).toBeLessThan(1000);
    watched.push({});
  };
  await change('Seen at once');
  server.kill('SIGTERM');
  await once(server, 'exit');
  await startServerProcess(app, url.port);
  await sleep(6000);
  await change('Seen after a restart');
});
