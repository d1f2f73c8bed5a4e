import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { loadSqliteDriver } from '../src/store/dialects/sqlite-driver.ts';
import type { Json } from './app.ts';
import { cleoPath, cleoRunner, runCleo } from './built-cli.ts';
import { createEmptyFolder } from './folder.ts';
import { grantPerson } from './person-token.ts';

interface Running {
  child: ChildProcess;
  url: string;
  root: string;
  out(): string;
  err(): string;
  post(path: string, params?: unknown, headers?: Record<string, string>): Promise<Json>;
  ended: Promise<{ code: number | null; signal: string | null }>;
}

/** Starts `cleo serve` as a process in a new project. */
async function start(words: string[] = [], { root, env = {} }: { root?: string; env?: Record<string, string> } = {}): Promise<Running> {
  const folder = root ?? (await project());
  const child = spawn(cleoRunner, [cleoPath, 'serve', '--port', '0', ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: getHome(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  const seen = { out: '', err: '' };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    seen.err += text;
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      seen.out += text;
      if (seen.out.includes('\n')) resolve(seen.out);
    });
    void ended.then(() => reject(new Error(`it ended: ${seen.out}${seen.err}`)));
  });
  const url = /http:\/\/[^\s"]+:\d+/.exec(line)?.[0] ?? '';
  return {
    child,
    url,
    root: folder,
    out: () => seen.out,
    err: () => seen.err,
    ended,
    post: async (path, params = {}, headers = {}) => {
      const response = await fetch(`${url}/api/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(params),
      });
      return response.json() as Promise<Json>;
    },
  };
}

async function project(): Promise<string> {
  const { root } = createEmptyFolder();
  expect(await cleo(root, ['init'])).toMatchObject({ exitCode: 0 });
  return root;
}

const getHome = (root: string): string => join(root, '..', 'home');
const cleo = (root: string, words: string[]) => runCleo(words, { cwd: root, env: { HOME: getHome(root) } });

/** Takes the write lock of a store; returns a function that releases it. */
function takeLock(root: string): () => void {
  const database = new (loadSqliteDriver().DatabaseSync)(join(root, '.cleo', 'cleo.db'), {});
  database.exec('begin immediate');
  return () => {
    database.exec('rollback');
    database.close();
  };
}

test('prints its address in one line, answers there, and exits with 0 on a signal', async () => {
  const { child, out, err, post, ended, root, url } = await start();
  expect(JSON.parse(out())).toMatchObject({ success: true, listening: { url, api: `${url}/api`, mcp: `${url}/mcp`, pid: child.pid } });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await post('mutate/tasks/add', { title: 'Over HTTP' })).toMatchObject({ task: { id: 'T001' } });
  expect(JSON.parse((await cleo(root, ['show', 'T001'])).out)).toMatchObject({ task: { createdBy: 'http' } });
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect([out().split('\n').length, err()]).toEqual([2, '']);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('prints a sentence for people', async () => {
  const { out, url } = await start(['--human']);
  const [first, second] = out().split('\n');
  expect(first).toBe(`Listening on ${url} (API: /api, MCP: /mcp). Ctrl+C stops.`);
  expect(second).toMatch(new RegExp(`^Web page: ${url}/#secret=[\\w-]{43}$`));
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s during a call: rejects new calls, answers the running one, and exits with 0',
  async (signal) => {
    const { child, post, ended, root, url } = await start();
    await post('query/tasks/list');
    const letGo = takeLock(root);
    const running = post('mutate/tasks/add', { title: 'In the middle' });
    await sleep(150);
    child.kill(signal);
    await sleep(150);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(child.exitCode).toBeNull();
    letGo();
    expect(await running).toMatchObject({ success: true, task: { id: 'T001' } });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(JSON.parse((await cleo(root, ['audit', 'verify'])).out)).toMatchObject({ success: true });
  },
);

test('a second signal ends the server at once', async () => {
  const { child, post, ended, root } = await start();
  await post('query/tasks/list');
  const letGo = takeLock(root);
  const running = post('mutate/tasks/add', { title: 'Never' }).catch(() => 'cut');
  await sleep(150);
  child.kill('SIGTERM');
  await sleep(100);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
  expect(await running).toBe('cut');
  letGo();
  expect(await cleo(root, ['list'])).toMatchObject({ exitCode: 100 });
});

test('incomplete requests do not delay the exit', async () => {
  const { child, ended, url } = await start();
  const port = Number(new URL(url).port);
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  const kept = connect(port, '127.0.0.1');
  kept.write(`GET /healthz HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
  await once(kept, 'data');
  const half = connect(port, '127.0.0.1');
  half.write('GET /healthz HTTP/1.1\r\nHost: loc');
  await once(half, 'connect');
  await sleep(50);
  const began = Date.now();
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(Date.now() - began).toBeLessThan(5000);
  half.destroy();
  idle.destroy();
  kept.destroy();
});

test('the agent in the environment does not apply to callers', async () => {
  const { post, root } = await start([], { env: { CLEO_AGENT_ID: 'starter', CLEO_SESSION_ID: 'session-x', CLEO_SESSION_GRADE: 'true' } });
  await post('mutate/tasks/add', { title: 'x' });
  await post('query/tasks/list');
  const { entries } = JSON.parse((await cleo(root, ['log', '--json'])).out);
  const ours = entries.filter(({ gateway }: Json) => gateway === 'http');
  expect(ours.map(({ agent, session, operation }: Json) => [agent, session, operation])).toEqual([['http', undefined, 'tasks.add']]);
});

test('a port in use fails with a fix that works', async () => {
  const { url, root } = await start();
  const { exitCode, out } = await cleo(root, ['serve', '--port', new URL(url).port]);
  expect(exitCode).toBe(8);
  const { error } = JSON.parse(out);
  expect(error).toMatchObject({ code: 'E_CONFIG_ERROR', fix: 'cleo serve --port 0' });
  await start([], { root });
});

test.each([
  [['--host', '0.0.0.0'], 8, 'cleo token create --name client --scope query'],
  [['--host', '203.0.113.9', '--port', '0'], 8, 'cleo token create --name client --scope query'],
  [['--host', 'no.such.host.invalid'], 8, 'cleo token create --name client --scope query'],
  [['--port', '70000'], 6, 'cleo help serve'],
  [['--port', 'x'], 2, 'cleo help serve'],
  [['--prot', '1'], 2, 'cleo serve --port 1'],
])('serve %j fails with exit code %i and a fix', async (words, exit, fix) => {
  const { exitCode, out } = await cleo(await project(), ['serve', ...words]);
  expect([exitCode, JSON.parse(out).error.fix]).toEqual([exit, fix]);
});

test('a foreign address fails with a fix', async () => {
  const root = await project();
  await grantPerson(root, { HOME: getHome(root) });
  const { exitCode, out } = await cleo(root, ['serve', '--host', '203.0.113.9']);
  expect([exitCode, JSON.parse(out).error]).toMatchObject([8, { fix: 'cleo serve' }]);
});

test('fails without a project', async () => {
  const { root } = createEmptyFolder();
  const { exitCode, out } = await cleo(root, ['serve']);
  expect([exitCode, JSON.parse(out).error.fix]).toEqual([8, 'cleo init']);
});

test('listens on other addresses once a token exists, and accepts it', async () => {
  const root = await project();
  const env = await grantPerson(root, { HOME: getHome(root) });
  const created = await runCleo(['token', 'create', '--name', 'ci', '--scope', 'mutate'], { cwd: root, env });
  const { secret } = JSON.parse(created.out);
  const { post, url } = await start(['--host', '0.0.0.0'], { root });
  expect(url).toMatch(/^http:\/\/0\.0\.0\.0:/);
  expect(await post('query/tasks/list')).toMatchObject({ error: { code: 'E_UNAUTHORIZED' } });
  expect(await post('mutate/tasks/add', { title: 'x' }, { authorization: `Bearer ${secret}` })).toMatchObject({ task: { id: 'T001' } });
});
