import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { loadSqliteDriver } from '../src/store/dialects/sqlite-driver.ts';
import type { Json } from './app.ts';
import { createBearerHeader, openServer } from './http-server.ts';

test('returns the envelope with the HTTP status of the catalog', async () => {
  const { post } = await openServer({ tasks: ['T001 epic', 'T002 in T001', 'T003', 'T009 done', 'T010 active by somebody'] });
  const seen: [string, Record<string, unknown>, number, number][] = [
    ['query/tasks/show', { taskId: 'T001' }, 200, 0],
    ['query/tasks/find', { query: 'nothing here' }, 200, 100],
    ['mutate/tasks/relates.add', { from: 'T002', to: 'T003', type: 'related', reason: 'the same' }, 200, 0],
    ['mutate/tasks/relates.add', { from: 'T002', to: 'T003', type: 'related', reason: 'the same' }, 200, 101],
    ['mutate/tasks/complete', { taskId: 'T009' }, 200, 102],
    ['query/tasks/show', { taskId: 3 }, 200, 0],
    ['query/tasks/get', { task_id: 'T3' }, 200, 0],
    ['query/tasks/create', { title: 'x' }, 400, 2],
    ['query/tasks/show', { taskId: {} }, 400, 2],
    ['query/tasks/show', { taskId: 'T001', odd: 1 }, 400, 2],
    ['query/tasks/shwo', {}, 404, 2],
    ['query/tasks/show', { taskId: 'T404' }, 404, 4],
    ['mutate/tasks/add', { title: 'x'.repeat(201) }, 422, 6],
    ['mutate/tasks/add', { title: 'x', parent: 'T404' }, 404, 10],
    ['mutate/tasks/start', { taskId: 'T010' }, 409, 35],
    ['mutate/tasks/update', { taskId: 'T003', title: 'New', expectRevision: 7 }, 409, 21],
  ];
  for (const [path, params, status, exitCode] of seen) {
    const answer = await post(path, params);
    expect([path, answer.status, answer.body._meta.exitCode ?? 0]).toEqual([path, status, exitCode]);
    expect(answer.body.success).toBe(status === 200);
    expect(answer.text).toMatch(/^\{.*\}\n$/);
  }
});

test('a lock timeout is 503, a damaged store is 500, and the server keeps running', async () => {
  const { post, get, app } = await openServer({ tasks: ['T001'], config: { store: { busyTimeoutMs: 100 } } });
  let letGo = (): void => {};
  const held = app.store.write({ at: '2026-01-02T00:00:00.000Z', by: 'x' }, () => new Promise<void>((resolve) => (letGo = resolve)));
  await sleep(20);
  expect(await post('mutate/tasks/add', { title: 'x' })).toMatchObject({
    status: 503,
    body: { error: { code: 'E_LOCK_TIMEOUT', exitCode: 7 } },
  });
  letGo();
  await held;
  await app.tamper(`insert into schema_migrations (version, checksum, applied_at) values (999, 'x', 'now')`);
  expect(await post('query/tasks/show', { taskId: 'T001' })).toMatchObject({
    status: 500,
    body: { error: { code: 'E_STORE_NEWER', exitCode: 8 } },
  });
  expect(await get('/healthz')).toMatchObject({ status: 503, body: { status: 'failing' } });
  await app.tamper('delete from schema_migrations where version = 999');
  expect(await post('query/tasks/show', { taskId: 'T001' })).toMatchObject({ status: 200 });
  expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
});

test('rejects a write sent to query and a read sent to mutate', async () => {
  const { post, app } = await openServer();
  const asked = [
    ['query/tasks/add', { title: 'x' }, 'POST /api/mutate/tasks/add'],
    ['query/tasks/relates.add', { from: 'T001', to: 'T002', type: 'related', reason: 'x' }, 'POST /api/mutate/tasks/relates.add'],
    ['mutate/tasks/list', {}, 'POST /api/query/tasks/list'],
  ] as const;
  for (const [path, params, right] of asked) {
    const { status, body } = await post(path, params);
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'E_INVALID_INPUT' });
    expect(body.error.message).toContain(right);
    const { tool, domain, operation } = body.error.call;
    expect(`POST /api/${tool.replace('cleo_', '')}/${domain}/${operation}`).toBe(right);
    expect(body.error.message).not.toContain('cleo_');
  }
  expect(await app.call('tasks.list')).toMatchObject({ _meta: { exitCode: 100 } });
});

test('headers set the agent, the session and the idempotency key', async () => {
  const { post, app } = await openServer();
  const headers = { 'cleo-agent': 'worker-7', 'idempotency-key': 'once' };
  const first = await post('mutate/tasks/add', { title: 'x' }, headers);
  expect(await post('mutate/tasks/add', { title: 'x' }, headers)).toMatchObject({
    status: 200,
    body: { task: first.body.task, _meta: { replayed: true } },
  });
  await post('mutate/tasks/add', { title: 'y' });
  expect(await post('mutate/tasks/add', { title: 'z' }, { 'cleo-agent': 'no such; name' })).toMatchObject({ status: 422 });
  expect(await post('mutate/tasks/add', { title: 'z' }, { 'cleo-session': 'session-unknown' })).toMatchObject({
    body: { error: { exitCode: 31 } },
  });
  const { entries } = await app.call('admin.log');
  expect(entries.map(({ agent, gateway, exitCode = 0 }: Json) => [agent, gateway, exitCode])).toEqual([
    ['http', 'http', 31],
    ['http', 'http', 0],
    ['worker-7', 'http', 0],
  ]);
});

test('the environment of the server does not apply to its callers', async () => {
  const { post, app } = await openServer({
    env: { CLEO_SESSION_ID: 'session-of-the-server', CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'graded' },
  });
  expect((await post('mutate/tasks/add', { title: 'x' })).body._meta).not.toHaveProperty('sessionId');
  await post('query/tasks/list');
  const log = await app.store.read((reads) => reads.audit.listAfter(0, 10));
  expect(log.map(({ agent, session, operation }) => [agent, session, operation])).toEqual([['http', undefined, 'add']]);
});

test.each([
  ['garbage', '{"title": ', 400],
  ['not JSON', 'title=x', 400],
  ['a list', '[1]', 400],
  ['a number', '5', 400],
  ['null', 'null', 400],
  ['an unknown key', '{"__proto__":{"title":"x"}}', 400],
  ['a deeply nested value', `{"title":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 400],
  ['empty', '', 400],
])('rejects and logs a body that is %s', async (_, body, status) => {
  const { post, app } = await openServer();
  const answer = await post('mutate/tasks/add', body);
  expect([answer.status, answer.body.error.exitCode]).toEqual([status, 2]);
  expect(await app.call('admin.log')).toMatchObject({ entries: [{ operation: 'tasks.add', exitCode: 2, gateway: 'http' }] });
});

test('rejects a body that is not UTF-8', async () => {
  const { sendRaw, port } = await openServer();
  const body = Buffer.from([0x7b, 0x22, 0x74, 0x69, 0x74, 0x6c, 0x65, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]);
  const head = `POST /api/mutate/tasks/add HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  expect(await sendRaw([Buffer.from(head), body])).toMatch(/^HTTP\/1\.1 400 /);
});

test('accepts a missing body for no parameters', async () => {
  const { post } = await openServer({ tasks: ['T001'] });
  expect(await post('query/tasks/list', '')).toMatchObject({ status: 200, body: { tasks: [{ id: 'T001' }] } });
});

test('accepts a body of 1 MiB and rejects one byte more, with or without a length', async () => {
  const { post, sendRaw, port, app } = await openServer();
  const limit = 1 << 20;
  const filled = (length: number): string => `{"title":"x"${' '.repeat(length - 13)}}`;
  expect(filled(100)).toHaveLength(100);
  expect(await post('mutate/tasks/add', filled(limit))).toMatchObject({ status: 200 });
  expect(await post('mutate/tasks/add', filled(limit + 1))).toMatchObject({ status: 413, body: { error: { code: 'E_VALIDATION_BODY' } } });
  const head = `POST /api/mutate/tasks/add HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const chunked = `${head}${chunk(filled(limit + 1))}0\r\n\r\n`;
  expect(await sendRaw(chunked, /\r\n\r\n.*\n/)).toMatch(/^HTTP\/1\.1 413 /);
  expect((await app.call('tasks.list')).tasks).toHaveLength(1);
});

test('accepts a longer body for an operation that carries contents', async () => {
  const { post } = await openServer({ tasks: ['T001'] });
  const content = 'x'.repeat(3 << 20);
  expect(await post('mutate/docs/add', { taskId: 'T001', slug: 'long', content })).toMatchObject({ status: 200 });
  const tooLong = await post('mutate/tasks/add-batch', `[${' '.repeat(33 << 20)}]`);
  expect(tooLong).toMatchObject({ status: 413, body: { error: { message: 'body must have at most 32 MiB' } } });
});

test.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data', 415],
  ['application/jsonp', 415],
  ['application/json; charset=latin1', 415],
  ['application/json; charset=utf-8', 200],
  ['Application/JSON', 200],
])('a body of type %s returns %i', async (type, status) => {
  const { post } = await openServer({ tasks: ['T001'] });
  expect(await post('query/tasks/list', {}, { 'content-type': type })).toMatchObject({ status });
});

test('a wrong method is 405 with the right one, an unknown path 404', async () => {
  const { url } = await openServer();
  const asked = async (method: string, path: string) => {
    const { status, headers } = await fetch(`${url}${path}`, { method });
    return [status, headers.get('allow')];
  };
  expect(await asked('GET', '/api/query/tasks/list')).toEqual([405, 'POST']);
  expect(await asked('OPTIONS', '/api/query/tasks/list')).toEqual([405, 'POST']);
  expect(await asked('DELETE', '/api/mutate/tasks/delete')).toEqual([405, 'POST']);
  expect(await asked('POST', '/metrics')).toEqual([405, 'GET']);
  expect(await asked('POST', '/api/openapi.json')).toEqual([405, 'GET']);
  for (const path of ['/', '/api', '/api/query/tasks', '/api/admin/tasks/list', '/api/query/tasks/list/more', '/..%2f..%2fetc/passwd'])
    expect(await asked('GET', path)).toEqual([404, null]);
});

test('responses forbid caching, sniffing and framing, and set neither cookies nor CORS headers', async () => {
  const { post, get } = await openServer();
  for (const { headers } of [await post('query/tasks/list'), await post('query/no/such'), await get('/healthz'), await get('/nowhere')]) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    for (const name of ['set-cookie', 'access-control-allow-origin', 'x-powered-by', 'server']) expect(headers.get(name)).toBeNull();
  }
});

test('a client that disconnects in the middle of its body has no effect', async () => {
  const { post, port, app } = await openServer();
  const head = `POST /api/mutate/tasks/add HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n`;
  for (let i = 0; i < 20; i++)
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`${head}{"title":"Half`);
        setTimeout(() => socket.destroy(), 5);
      });
      socket.on('close', () => resolve());
    });
  expect(await post('mutate/tasks/add', { title: 'Whole' })).toMatchObject({ status: 200, body: { task: { id: 'T001' } } });
  expect((await app.call('tasks.list')).tasks).toHaveLength(1);
});

test('a client that disconnects before its answer leaves a complete write or none', async () => {
  const { port, post, app } = await openServer();
  const body = '{"title":"Left behind"}';
  const request = `POST /api/mutate/tasks/add HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (let i = 0; i < 20; i++)
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(request, () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
  await post('mutate/tasks/add', { title: 'Last' });
  const { tasks } = await app.call('tasks.list', { limit: 100 });
  const { entries } = await app.call('admin.log', { limit: 100 });
  expect(entries.filter(({ success }: Json) => success)).toHaveLength(tasks.length);
  expect(await app.call('admin.audit.verify')).toMatchObject({ success: true });
});

test('answers 200 concurrent calls', async () => {
  const { post } = await openServer({ tasks: ['T001'] });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      i % 2 ? post('query/tasks/show', { taskId: 'T001' }) : post('mutate/tasks/update', { taskId: 'T001', notes: `note ${i}` }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
});

test('closes connections that send headers or body too slowly', async () => {
  const { sendRaw, port } = await openServer({}, { headersTimeoutMs: 300, requestTimeoutMs: 600 });
  const began = Date.now();
  expect(await sendRaw(`POST /api/query/tasks/list HTTP/1.1\r\nHost: localhost:${port}\r\nX-Slow: `)).toMatch(/^HTTP\/1\.1 408 /);
  expect(
    await sendRaw(
      `POST /api/query/tasks/list HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
    ),
  ).not.toMatch(/^HTTP\/1\.1 2/);
  expect(Date.now() - began).toBeLessThan(5000);
});

test.each([
  ['not HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['endless headers', `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
  ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['an old protocol without a host', 'GET /healthz HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 40[03] /],
  ['an invalid host', 'GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 40[03] /],
  ['two lengths', 'POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', /^HTTP\/1\.1 400 /],
  [
    'a length and chunks',
    'POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
])('rejects a request with %s and keeps running', async (_, bytes, answer) => {
  const { sendRaw, get } = await openServer();
  expect(await sendRaw(bytes)).toMatch(answer);
  expect(await get('/healthz')).toMatchObject({ status: 200 });
});

test('a stopping server cancels calls that take too long, and they have no effect', async () => {
  const { post, app, stop } = await openServer({}, { graceMs: 200 });
  await post('query/tasks/list');
  let letGo = (): void => {};
  const held = app.store.write({ at: '2026-01-02T00:00:00.000Z', by: 'x' }, () => new Promise<void>((resolve) => (letGo = resolve)));
  const cut = post('mutate/tasks/add', { title: 'Too late' }).catch(() => 'cut');
  await sleep(100);
  const began = Date.now();
  await stop();
  expect(Date.now() - began).toBeLessThan(3000);
  expect(await cut).toBe('cut');
  letGo();
  await held;
  await sleep(200);
  expect(await app.call('tasks.list')).toMatchObject({ _meta: { exitCode: 100 } });
});

test('restores a backup while others write, and they continue with the restored store', async () => {
  const { post, createToken, app } = await openServer({ tasks: ['T001'] });
  const admin = createBearerHeader(await createToken('admin'));
  const { body } = await post('mutate/admin/backup.create', {}, admin);
  const countEntries = async (): Promise<number> => (await app.call('admin.audit.verify')).chain.entries;
  const before = await countEntries();
  let isOver = false;
  let succeeded = 0;
  const failed: Json[] = [];
  const writers = Array.from({ length: 8 }, async (_, client) => {
    for (let i = 0; !isOver; i++) {
      const answer = await post('mutate/tasks/add', { title: `Task ${i} of ${client}` });
      if (answer.status === 200) succeeded++;
      else failed.push(answer.body);
    }
  });
  await sleep(200);
  expect(await post('mutate/admin/backup.restore', { id: body.backup.id }, admin)).toMatchObject({ status: 200 });
  await sleep(200);
  isOver = true;
  await Promise.all(writers);
  expect(failed).toEqual([]);
  // The log has every write and the restore.
  expect((await countEntries()) - before).toBe(succeeded + 1);
  expect(await post('query/tasks/exists', { taskId: 'T001' })).toMatchObject({ body: { exists: true } });
});

test('metrics count calls by operation, gateway and exit code for every protocol', async () => {
  const { post, get, url } = await openServer({ tasks: ['T001'] });
  await post('query/tasks/show', { taskId: 'T001' });
  await post('query/tasks/show', { taskId: 'T404' });
  await post('query/no/such"name');
  await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'cleo_query', arguments: { domain: 'tasks', operation: 'show', params: { taskId: 'T001' } } },
    }),
  }).then((response) => response.text());
  const { text, headers } = await get('/metrics');
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  for (const line of [
    'cleo_calls_total{operation="tasks.show",gateway="http",exit="0"} 1',
    'cleo_calls_total{operation="tasks.show",gateway="http",exit="4"} 1',
    'cleo_calls_total{operation="unknown",gateway="http",exit="2"} 1',
    'cleo_calls_total{operation="tasks.show",gateway="cleo_query",exit="0"} 1',
    'cleo_call_duration_seconds_count{gateway="http"} 3',
    'cleo_http_open_requests 1',
  ])
    expect(text.split('\n')).toContain(line);
  // Every line is a comment or a sample.
  expect(text.split('\n').filter((line) => !/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\\\n]*",?)+\})? [\d.e+-]+|)$/.test(line))).toEqual([]);
});

test('a local token sets scope and agent name', async () => {
  const { post, createToken, app } = await openServer({ tasks: ['T001'] });
  const reader = createBearerHeader(await createToken('query', 'reader'));
  expect(await post('query/tasks/list', {}, reader)).toMatchObject({ status: 200 });
  expect(await post('mutate/tasks/add', { title: 'x' }, reader)).toMatchObject({ status: 403 });
  const writer = createBearerHeader(await createToken('mutate', 'ci'));
  expect(await post('mutate/tasks/add', { title: 'x' }, writer)).toMatchObject({ status: 200 });
  expect(await app.call('admin.log', { limit: 1 })).toMatchObject({ entries: [{ agent: 'ci', gateway: 'http' }] });
});

test('the health check commits a write, and reads its own result for five seconds', async () => {
  const { get, app } = await openServer({ engine: 'sqlite' });
  const database = new (loadSqliteDriver().DatabaseSync)(join(app.root, '.cleo', 'cleo.db'), { readOnly: true });
  onTestFinished(() => database.close());
  const readCheck = () => database.prepare(`select value from store_facts where name = 'checked_at'`).all()[0]?.value;
  expect(readCheck()).toBeUndefined();
  expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  const at = readCheck();
  expect(at).toMatch(/^20/);
  await get('/healthz');
  expect(readCheck()).toBe(at);
});

test('the health check fails if the database can be read but not written', async () => {
  const { get, post, app } = await openServer({ engine: 'sqlite', tasks: ['T001'] });
  await app.tamper(`create trigger no_writes before insert on store_facts begin select raise(abort, 'disk I/O error'); end`);
  expect(await post('query/tasks/exists', { taskId: 'T001' })).toMatchObject({ status: 200 });
  expect(await get('/healthz')).toMatchObject({ status: 503, body: { status: 'failing' } });
  await app.tamper('drop trigger no_writes');
  expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
});

test('the health check says busy while another process holds the write lock', async () => {
  const { get, app } = await openServer({ engine: 'sqlite', config: { store: { busyTimeoutMs: 100 } } });
  const other = await app.openSecondStore();
  await other.write({ at: '', by: 'other' }, async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'busy' } });
  });
});

test('metrics have lock waits, the use of connections and operations by outcome', async () => {
  const { get, post, createToken } = await openServer({ tasks: ['T001'] });
  await post('mutate/tasks/add', { title: 'x' });
  await post('query/tasks/show', { taskId: 'T404' });
  await post('mutate/tasks/add', { title: 'x' }, createBearerHeader(await createToken('query', 'reader')));
  const lines = (await get('/metrics')).text.split('\n');
  for (const line of [
    'cleo_operations_total{kind="mutation",outcome="success"} 1',
    'cleo_operations_total{kind="query",outcome="rejected"} 1',
    'cleo_operations_total{kind="mutation",outcome="denied"} 1',
    'cleo_store_connections_max{use="write"} 1',
    'cleo_store_calls_active{use="write"} 0',
    'cleo_store_calls_waiting{use="read"} 0',
  ])
    expect(lines).toContain(line);
  expect(lines).toContainEqual(expect.stringMatching(/^cleo_store_lock_wait_seconds_count [1-9]/));
});
