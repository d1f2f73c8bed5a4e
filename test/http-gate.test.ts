import { expect, test } from 'vitest';
import { registry } from '../src/core/index.generated.ts';
import type { Json } from './app.ts';
import { asPerson } from './app.ts';
import { createBearerHeader, openServer, type TestServer } from './http-server.ts';

/** Sends a request with exactly these headers; returns status and body. */
async function sendRequest(
  { sendRaw }: TestServer,
  headers: Record<string, string>,
  path = '/api/query/tasks/list',
): Promise<[number, string]> {
  const lines = Object.entries({ 'Content-Type': 'application/json', 'Content-Length': '2', Connection: 'close', ...headers });
  const answer = await sendRaw(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{}`);
  return [Number(answer.slice(9, 12)), answer.slice(answer.indexOf('\r\n\r\n') + 4)];
}

const getStatus = async (server: TestServer, headers: Record<string, string>, path?: string): Promise<number> =>
  (await sendRequest(server, headers, path))[0];

test('rejects foreign hosts and origins on every path without details', async () => {
  const server = await openServer({ tasks: ['T001: Very secret'] });
  const { port } = server;
  const own = `localhost:${port}`;
  for (const host of [own, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost', `LOCALHOST:${port}`])
    expect(await getStatus(server, { Host: host })).toBe(200);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `localhost.evil.example`,
    `10.0.0.5:${port}`,
    `evil@localhost`,
  ])
    for (const path of ['/api/query/tasks/list', '/api/query/no/such', '/healthz', '/metrics', '/mcp', '/nowhere']) {
      const [status, body] = await sendRequest(server, { Host: host }, path);
      expect([400, 403]).toContain(status);
      expect(body).not.toMatch(/secret|tasks|0\.0\.0-test/i);
    }
  for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`, `http://[::1]:${port}`])
    expect(await getStatus(server, { Host: own, Origin: origin })).toBe(200);
  for (const origin of [
    'http://evil.example',
    `http://evil.example:${port}`,
    'null',
    'http://localhost:3000',
    `https://localhost.evil.example:${port}`,
    'file://',
    `http://localhost:${port}.evil.example`,
    '',
  ])
    for (const path of ['/api/query/tasks/list', '/mcp', '/metrics'])
      expect(await getStatus(server, { Host: own, Origin: origin }, path)).toBe(403);
});

test('accepts configured hosts and origins; a foreign host only with a token', async () => {
  const server = await openServer({ config: { serve: { hosts: 'board.example, other.example', origins: 'https://app.example' } } });
  const token = createBearerHeader(await server.createToken('query'));
  const host = { Host: 'board.example' };
  expect(await getStatus(server, host)).toBe(401);
  expect(await getStatus(server, { ...host, ...token })).toBe(200);
  expect(await getStatus(server, { ...host, ...token, Origin: 'https://board.example' })).toBe(200);
  expect(await getStatus(server, { ...host, ...token, Origin: 'https://app.example' })).toBe(200);
  expect(await getStatus(server, { ...host, ...token, Origin: 'https://evil.example' })).toBe(403);
  expect(await getStatus(server, { Host: 'third.example', ...token })).toBe(403);
});

test('a forwarded request is not local, even with a local host header', async () => {
  const server = await openServer();
  const host = { Host: `localhost:${server.port}` };
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via'])
    expect(await getStatus(server, { ...host, [name]: '10.0.0.5' })).toBe(401);
});

test('remote requests need a valid token', async () => {
  const prepare = async (app: TestServer['app']) => app.call('admin.token.create', { name: 'first', scope: 'query' }, asPerson);
  const server = await openServer({ tasks: ['T001: Very secret'] }, { host: '0.0.0.0', prepare });
  const { post, get, createToken, app } = server;
  const secret = await createToken('query', 'reader');
  const gone = await createToken('admin', 'gone');
  await app.call('admin.token.revoke', { name: 'gone' }, asPerson);
  const wrong = `cleo_${'A'.repeat(43)}`;
  const bodies = new Set<string>();
  for (const headers of [
    {},
    createBearerHeader(''),
    createBearerHeader(wrong),
    createBearerHeader(gone),
    createBearerHeader(`${secret}x`),
    { authorization: `Basic ${secret}` },
    { authorization: secret },
  ])
    for (const path of ['query/tasks/show', 'mutate/tasks/add', 'query/no/such', 'mutate/admin/token.create']) {
      const { status, body, headers: answered } = await post(path, { taskId: 'T001' }, headers);
      expect(status).toBe(401);
      expect(answered.get('www-authenticate')).toBe('Bearer');
      bodies.add(JSON.stringify({ ...body, _meta: { ...body._meta, timestamp: '' } }));
    }
  // The answer is the same for every path, existing or not.
  expect([...bodies]).toEqual([expect.stringContaining('A token that allows this is required')]);
  for (const path of ['/metrics', '/api/openapi.json', '/mcp', '/nowhere']) expect(await get(path)).toMatchObject({ status: 401 });
  expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect(await post('query/tasks/show', { taskId: 'T001' }, createBearerHeader(secret))).toMatchObject({ status: 200 });
});

test('a revoked token is rejected at once', async () => {
  const { post, createToken, app } = await openServer();
  const token = createBearerHeader(await createToken('mutate', 'ci'));
  expect(await post('mutate/tasks/add', { title: 'x' }, token)).toMatchObject({ status: 200 });
  await app.call('admin.token.revoke', { name: 'ci' }, asPerson);
  expect(await post('mutate/tasks/add', { title: 'y' }, token)).toMatchObject({ status: 401 });
  // An invalid token is rejected even if none is required.
  expect(await post('query/tasks/list', {}, token)).toMatchObject({ status: 401 });
  expect(await post('query/tasks/list')).toMatchObject({ status: 200 });
});

test('every surface enforces the scope, and the error reveals nothing', async () => {
  const { post, createToken, app, url } = await openServer();
  const reader = createBearerHeader(await createToken('query', 'reader'));
  const refusals = new Set<string>();
  for (const path of ['mutate/tasks/add', 'mutate/no/such']) {
    const { status, body } = await post(path, { title: 'x' }, reader);
    expect(status).toBe(403);
    refusals.add(JSON.stringify(body.error));
  }
  expect(refusals.size).toBe(1);
  const writer = createBearerHeader(await createToken('mutate', 'writer'));
  for (const [path, params] of [
    ['mutate/admin/token.create', { name: 'x', scope: 'admin' }],
    ['query/admin/token.list', {}],
    ['mutate/admin/config.set', { key: 'serve.requireToken', value: 'false' }],
    ['mutate/admin/backup.restore', { id: 'x' }],
    ['mutate/admin/config.set', { key: 'hierarchy.maxSiblings', value: 9, user: true }],
    ['mutate/review/resolve', { review: 'rv-1', verdict: 'pass', score: 1 }],
    ['mutate/trace/prune', {}],
    ['mutate/admin/doctor.fix', {}],
    ['mutate/tasks/export.file', { output: 'x.jsonl' }],
  ] as const) {
    expect(await post(path, params, writer), path).toMatchObject({ status: 403, body: { error: { exitCode: 64 } } });
    expect(await post(path, params), path).toMatchObject({ status: 403 });
  }
  const call = (headers: Record<string, string>) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'cleo_mutate', arguments: { domain: 'tasks', operation: 'add', params: { title: 'Over MCP' } } },
      }),
    }).then((response) => response.text());
  expect(await call(reader)).toContain('E_FORBIDDEN');
  expect(await call(writer)).toContain('T001');
  const admin = createBearerHeader(await createToken('admin', 'root'));
  expect(await post('mutate/admin/token.create', { name: 'made', scope: 'query' }, admin)).toMatchObject({ status: 200 });
  expect((await app.call('admin.log', { limit: 1 })).entries).toMatchObject([{ agent: 'root', operation: 'admin.token.create' }]);
});

test('operations that administrate the project or write its files need the admin scope', async () => {
  const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
  const kept = operations.filter(({ scope, usesHost }) => typeof scope === 'string' || usesHost).map(({ name }) => name);
  const upkeep = operations.filter(({ name, kind, needs }) => kind !== 'query' && (name.startsWith('admin.') || needs !== 'store'));
  // Exceptions: a backup is only another copy, agents claim reviews, a stopped run can be resumed, and the others decide by their
  // parameters or the store.
  expect(upkeep.map(({ name }) => name).filter((name) => !kept.includes(name))).toEqual([
    ...['admin.backup.create', 'admin.config.set', 'admin.config.unset', 'admin.undo', 'admin.upgrade'],
    ...['assess.calibrate', 'assess.run', 'construct.stop', 'review.claim', 'review.reveal'],
  ]);
  expect(kept).toEqual(expect.arrayContaining(['admin.token.list', 'tasks.export.file']));
});

test('the log names the token under a name below it, and never the secret', async () => {
  const { post, createToken, app } = await openServer();
  const secret = await createToken('mutate', 'ci');
  await post('mutate/tasks/add', { title: 'x' }, { ...createBearerHeader(secret), 'cleo-agent': 'ci/worker-7' });
  await post('mutate/tasks/add', { title: `Use ${secret}` }, createBearerHeader(secret));
  const { entries } = await app.call('admin.log', { limit: 2 });
  expect(entries).toMatchObject([
    { agent: 'ci', params: { title: 'Use [redacted]' } },
    { agent: 'ci/worker-7', params: { title: 'x', '@token': 'ci' } },
  ]);
});

test('local requests need a token if serve.requireToken is set', async () => {
  const prepare = async (app: TestServer['app']) => app.call('admin.token.create', { name: 'first', scope: 'query' }, asPerson);
  const { post, createToken } = await openServer({ config: { serve: { requireToken: true } } }, { prepare });
  expect(await post('query/tasks/list')).toMatchObject({ status: 401 });
  expect(await post('query/tasks/list', {}, createBearerHeader(await createToken('query')))).toMatchObject({ status: 200 });
});

test.each([
  [{}, '0.0.0.0'],
  [{}, '::'],
  [{ serve: { requireToken: true } }, '127.0.0.1'],
])('does not start if a token is required and none exists', async (config, host) => {
  await expect(openServer({ config }, { host })).rejects.toMatchObject({
    code: 'E_CONFIG_ERROR',
    exitCode: 8,
    fix: 'cleo token create --name client --scope query',
  });
});

test('rejects an invalid port with a fix', async () => {
  await expect(openServer({ config: { serve: { port: 70_000 } } }, { port: undefined as never })).rejects.toMatchObject({
    code: 'E_CONFIG_ERROR',
    fix: 'cleo config unset serve.port',
  });
});

test('the rate limit counts every call of an MCP batch', async () => {
  const { url, post } = await openServer({ tasks: ['T001'], config: { serve: { callsPerMinute: 20 } } });
  const call = (id: number): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'cleo_query', arguments: { domain: 'tasks', operation: 'show', params: { taskId: 'T1' } } },
  });
  const sendBatch = (count: number): Promise<Response> =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(Array.from({ length: count }, (_, i) => call(i))),
    });
  expect((await sendBatch(21)).status).toBe(422);
  const first = await sendBatch(15);
  expect(first.status).toBe(200);
  expect((await first.text()).match(/"id":"T001"/g)?.length).toBeGreaterThanOrEqual(15);
  const second = await sendBatch(15);
  expect([second.status, Number(second.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
  expect(await post('query/tasks/show', { taskId: 'T1' })).toMatchObject({ status: 200 });
});

test('limits the rate of one caller without affecting others', async () => {
  const { post, createToken, get } = await openServer({ config: { serve: { callsPerMinute: 20 } } });
  const token = createBearerHeader(await createToken('query'));
  const statuses: number[] = [];
  for (let i = 0; i < 22; i++) statuses.push((await post('query/tasks/list')).status);
  expect(statuses).toEqual([...Array(20).fill(200), 429, 429]);
  const refused = await post('query/tasks/list');
  expect(refused.body).toMatchObject({ error: { code: 'E_TOO_MANY_REQUESTS', exitCode: 7 } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await get('/healthz')).toMatchObject({ status: 429 });
  expect(await post('query/tasks/list', {}, token)).toMatchObject({ status: 200 });
});

test('limits wrong tokens without locking out valid ones', async () => {
  const { post, createToken } = await openServer();
  const secret = await createToken('query');
  const wrong = createBearerHeader(`cleo_${'A'.repeat(43)}`);
  const statuses: number[] = [];
  // One more per second is allowed, and a busy machine takes seconds.
  while (statuses.length < 200 && statuses.at(-1) !== 429) statuses.push((await post('query/tasks/list', {}, wrong)).status);
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401));
  expect(statuses.at(-1)).toBe(429);
  expect(await post('query/tasks/list', {}, createBearerHeader(secret))).toMatchObject({ status: 200 });
});

test('the fix of each error runs as printed and helps', async () => {
  const server = await openServer({ config: { serve: { callsPerMinute: 40 } } });
  const { post, app } = server;
  const way = async (answer: { status: number; body: Json }, status: number) => {
    expect(answer.status).toBe(status);
    const { fix } = answer.body.error;
    // A person runs what the caller may not.
    return fix.startsWith('Ask a person') ? app.cli(fix.replace('Ask a person to run: ', ''), asPerson) : app.cli(fix);
  };
  const none = { ...createBearerHeader(`cleo_${'A'.repeat(43)}`) };
  const made = await way(await post('query/tasks/list', {}, none), 401);
  expect(await post('query/tasks/list', {}, createBearerHeader(made.envelope.secret))).toMatchObject({ status: 200 });
  const wider = await way(await post('mutate/tasks/add', { title: 'x' }, createBearerHeader(made.envelope.secret)), 403);
  expect(await post('mutate/tasks/add', { title: 'x' }, createBearerHeader(wider.envelope.secret))).toMatchObject({ status: 200 });
  const highest = await way(await post('query/admin/token.list', {}, createBearerHeader(wider.envelope.secret)), 403);
  expect(highest.envelope.tokens).toMatchObject([{ name: 'client' }, { name: 'client-mutate' }]);
  const [, foreign] = await sendRequest(server, { Host: 'evil.example' });
  expect(await app.cli(JSON.parse(foreign).error.fix)).toMatchObject({ exitCode: 0, envelope: { key: 'serve.hosts' } });
  let last = await post('query/tasks/list');
  while (last.status === 200) last = await post('query/tasks/list');
  expect(await way(last, 429)).toMatchObject({ exitCode: 0, envelope: { value: 40 } });
});
