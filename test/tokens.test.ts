import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, type Json } from './app.ts';
import { createBearerHeader, openServer, startServer, type TestServer } from './http-server.ts';

const createToken = async ({ app }: Pick<TestServer, 'app'>, params: Json): Promise<Record<string, string>> =>
  createBearerHeader((await app.call('admin.token.create', params, asPerson)).secret);

test('a token that was revoked stays revoked on a server whose database is replaced by an earlier one', async () => {
  const server = await openServer({ engine: 'sqlite' });
  const token = await createToken(server, { name: 'gone', scope: 'mutate' });
  const other = await createToken(server, { name: 'kept', scope: 'query' });
  const boss = await createToken(server, { name: 'boss', scope: 'admin' });
  const { app } = server;
  const database = join(app.root, '.cleo/cleo.db');
  const copyDatabase = (from: string, to: string): void => {
    for (const end of ['', '-wal', '-shm']) {
      rmSync(`${to}${end}`, { force: true });
      if (end !== '-shm') copyFileSync(`${from}${end}`, `${to}${end}`);
    }
  };
  copyDatabase(database, join(app.root, 'earlier.db'));
  expect(await server.post('mutate/admin/token.revoke', { name: 'gone' }, boss)).toMatchObject({ status: 200 });
  await server.stop();
  await app.call('tasks.add', { title: 'Only after the dump' });
  // What an administrator does with a dump or a snapshot of the disk.
  copyDatabase(join(app.root, 'earlier.db'), database);
  const restored = await startServer(app);
  expect((await restored.post('query/admin/token.list', {}, boss)).body.tokens).toContainEqual(
    expect.not.objectContaining({ revokedAt: expect.any(String) }),
  );
  expect(await restored.post('query/tasks/list', {}, token)).toMatchObject({ status: 401 });
  expect(await restored.post('query/tasks/list', {}, other)).toMatchObject({ status: 200 });
});

test('a server learns which tokens were revoked on other machines', async () => {
  const server = await openServer();
  const token = await createToken(server, { name: 'gone', scope: 'query' });
  await server.app.tamper(`update tokens set revoked_at = '2026-01-01T00:00:00.000Z'`);
  expect(await server.post('query/tasks/list', {}, token)).toMatchObject({ status: 401 });
  await server.stop();
  // The database of an earlier day.
  await server.app.tamper(`update tokens set revoked_at = null`);
  const restored = await startServer(server.app);
  expect(await restored.post('query/tasks/list', {}, token)).toMatchObject({ status: 401 });
});

test('an expired token is 401 with what to do, over every route', async () => {
  const server = await openServer();
  const token = await createToken(server, { name: 'ci', scope: 'mutate' });
  expect(await server.post('query/tasks/list', {}, token)).toMatchObject({ status: 200 });
  await server.app.tamper(`update tokens set expires_at = '2026-01-01T00:00:00.000Z'`);
  for (const path of ['query/tasks/list', 'mutate/tasks/add', 'query/no/such', 'token'])
    expect(await server.post(path, {}, token), path).toMatchObject({
      status: 401,
      body: { error: { code: 'E_UNAUTHORIZED', exitCode: 64, message: 'Token ci expired at 2026-01-01T00:00:00.000Z' } },
    });
});

test('a token has a limit of its own, and leaves that of others alone', async () => {
  const server = await openServer();
  const slow = await createToken(server, { name: 'slow', scope: 'query', callsPerMinute: 3 });
  const fast = await createToken(server, { name: 'fast', scope: 'query' });
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await server.post('query/tasks/list', {}, slow)).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  expect((await server.post('query/tasks/list', {}, slow)).headers.get('retry-after')).toBe('20');
  for (let i = 0; i < 5; i++) expect(await server.post('query/tasks/list', {}, fast)).toMatchObject({ status: 200 });
});

test('over HTTP and MCP a token acts under its own name or one below it', async () => {
  const server = await openServer();
  const token = await createToken(server, { name: 'ada-1', scope: 'mutate', person: 'ada', actsAs: 'ada' });
  const add = (agent: string) => server.post('mutate/tasks/add', { title: 'x' }, { ...token, 'cleo-agent': agent });
  expect(await add('ada/worker')).toMatchObject({ status: 200 });
  expect(await add('bob')).toMatchObject({ status: 403, body: { error: { code: 'E_FORBIDDEN', exitCode: 64 } } });
  const callTool = async (args: Json): Promise<Json> => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...token,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'cleo_mutate', arguments: args } }),
    });
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : text.slice(text.indexOf('data: ') + 6)).result.structuredContent;
  };
  const task = { domain: 'tasks', operation: 'add', params: { title: 'over MCP' } };
  expect(await callTool({ ...task, agent: 'bob' })).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  expect(await callTool({ ...task, agent: 'ada/mcp' })).toMatchObject({ task: { title: 'over MCP' } });
  const { entries } = await server.app.call('admin.log', { token: 'ada-1' });
  expect(new Set(entries.map(({ agent }: Json) => agent))).toEqual(new Set(['ada', 'ada/worker', 'ada/mcp']));
  expect(entries.every(({ principal }: Json) => principal.owner === 'ada')).toBe(true);
});
