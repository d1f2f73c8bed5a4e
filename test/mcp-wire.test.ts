import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openApp } from './app.ts';
import { connectClient, createToolCall, initialize, revisions, startRawServer } from './mcp-client.ts';
import { createTempFolder } from './temp-folder.ts';

const show = createToolCall(7, 'query', 'tasks.show', { taskId: 'T1' });
const shown = { id: 7, result: { structuredContent: { task: { id: 'T001' } } } };

const lines: [string, string, object][] = [
  ['invalid JSON', '{"jsonrpc":', { id: null, error: { code: -32700 } }],
  ['words', 'hello there', { id: null, error: { code: -32700 } }],
  ['a lone surrogate in bytes', '\ud800{', { id: null, error: { code: -32700 } }],
  ['a number', '42', { id: null, error: { code: -32600 } }],
  ['null', 'null', { id: null, error: { code: -32600 } }],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', { id: null, error: { code: -32600 } }],
  ['no version', '{"id":5,"method":"ping"}', { id: 5, error: { code: -32600 } }],
  ['another version', '{"jsonrpc":"1.0","id":"a","method":"ping"}', { id: 'a', error: { code: -32600 } }],
  ['a method that is not a text', '{"jsonrpc":"2.0","id":5,"method":5}', { id: 5, error: { code: -32600 } }],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', { id: null, error: { code: -32600 } }],
  ['an unknown method', '{"jsonrpc":"2.0","id":5,"method":"tasks/list"}', { id: 5, error: { code: -32601 } }],
  [
    'logging, which is not supported',
    '{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"info"}}',
    { id: 5, error: { code: -32601 } },
  ],
  ['an unknown tool', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"rm"}}', { id: 5, error: { code: -32602 } }],
  ['a call without a name', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}', { id: 5, error: { code: -32602 } }],
  ['params that are a list', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1]}', { id: 5, error: expect.anything() }],
];

test('answers invalid messages with an error and keeps running', async () => {
  const raw = startRawServer(await openApp({ tasks: ['T001'] }));
  await initialize(raw);
  for (const [what, text, answer] of lines) {
    raw.sendLine(text);
    expect(await raw.waitForMessage(), what).toMatchObject({ jsonrpc: '2.0', ...answer });
  }
  raw.sendLine('');
  raw.sendLine('   ');
  raw.send(show);
  expect(await raw.waitForMessage()).toMatchObject(shown);
});

test('rejects a line of five megabytes and accepts one below the limit', async () => {
  const raw = startRawServer(await openApp({ tasks: ['T001'] }));
  await initialize(raw);
  const padded = (megabytes: number): string =>
    JSON.stringify({ jsonrpc: '2.0', ...createToolCall(8, 'mutate', 'tasks.add', { title: 'x'.repeat(megabytes * 1024 * 1024) }) });
  for (const size of [5, 12]) {
    raw.sendLine(padded(size));
    expect(await raw.waitForMessage(), `${size} MB`).toMatchObject({
      id: 8,
      error: { code: -32600, message: expect.stringContaining('4194304') },
    });
  }
  raw.sendLine(padded(3));
  expect(await raw.waitForMessage()).toMatchObject({
    id: 8,
    result: { isError: true, structuredContent: { error: { code: 'E_VALIDATION_TITLE' } } },
  });
  raw.send(show);
  expect(await raw.waitForMessage()).toMatchObject(shown);
});

test('answers everything that the protocol allows before the handshake', async () => {
  const raw = startRawServer(await openApp({ tasks: ['T001'] }));
  raw.sendLine('garbage');
  expect(await raw.waitForMessage()).toMatchObject({ error: { code: -32700 } });
  raw.send({ id: 1, method: 'server/discover', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '1999-01-01' } } });
  expect(await raw.waitForMessage()).toMatchObject({ id: 1, error: expect.anything() });
  expect(await initialize(raw)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
});

test('serves an older client in its revision', async () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18']) {
    const raw = startRawServer(await openApp({ tasks: ['T001'] }));
    raw.send({
      id: 0,
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'old', version: '1' } },
    });
    expect(await raw.waitForAnswer(0)).toMatchObject({ result: { protocolVersion: version } });
    raw.send({ method: 'notifications/initialized' });
    raw.send(show);
    expect(await raw.waitForAnswer(7)).toMatchObject(shown);
  }
});

test('answers pending requests when the input ends, and exits with 0', async () => {
  const app = await openApp();
  const raw = startRawServer(app);
  await initialize(raw);
  for (let id = 1; id <= 20; id++) raw.send(createToolCall(id, 'mutate', 'tasks.add', { title: `Task ${id}` }));
  raw.child.stdin.end();
  expect(await raw.ended).toBe(0);
  const answered = raw
    .getOutput()
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).id ?? []);
  expect(answered.sort((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, i) => i));
  expect(await app.call('tasks.exists', { taskId: 'T020' })).toMatchObject({ exists: true });
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends the server cleanly after running calls', async (signal) => {
  const app = await openApp();
  const raw = startRawServer(app);
  await initialize(raw);
  raw.send(createToolCall(1, 'mutate', 'tasks.add', { title: 'Before' }));
  await raw.waitForAnswer(1);
  raw.child.kill(signal);
  expect(await raw.ended).toBe(0);
  // A clean close merges the write-ahead log into the database.
  const { statSync } = await import('node:fs');
  expect(statSync(`${app.root}/.cleo/cleo.db-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
});

test('exits when the client disconnects, also in the middle of an answer', async () => {
  const raw = startRawServer(await openApp({ tasks: ['T001'] }));
  await initialize(raw);
  for (let id = 1; id <= 500; id++) raw.send(createToolCall(id, 'query', 'admin.help', { tier: 2 }));
  await raw.waitForAnswer(1);
  raw.child.stdout.destroy();
  raw.child.stdin.destroy();
  expect(await raw.ended).toBe(0);
});

test('a client that does not read neither delays the exit nor grows memory', async () => {
  const raw = startRawServer(await openApp({ tasks: ['T001'] }));
  await initialize(raw);
  raw.child.stdout.pause();
  for (let id = 1; id <= 5000; id++) raw.send(createToolCall(id, 'query', 'admin.help', { tier: 2 }));
  await sleep(1500);
  const { readFileSync } = await import('node:fs');
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${raw.child.pid}/status`, 'utf8'))?.[1]);
  expect(kilobytes).toBeLessThan(200_000);
  const began = Date.now();
  raw.child.kill('SIGTERM');
  await new Promise((resolve) => raw.child.once('exit', resolve));
  expect(Date.now() - began).toBeLessThan(6000);
});

test('a cancelled waiting call has no effect and no answer; the next one is answered', async () => {
  const app = await openApp({ tasks: ['T001'] });
  const raw = startRawServer(app);
  await initialize(raw);
  const batch = Array.from({ length: 2000 }, (_, i) => ({ title: `Part ${i}` }));
  raw.send(createToolCall(1, 'mutate', 'tasks.add-batch', { tasks: batch }));
  raw.send(createToolCall(2, 'mutate', 'tasks.add', { title: 'Waits for the batch' }));
  raw.send({ method: 'notifications/cancelled', params: { requestId: 2 } });
  raw.send(show);
  await raw.waitForAnswer(7);
  await raw.waitForAnswer(1);
  await sleep(50);
  expect(raw.getOutput()).not.toMatch(/"id":2\b/);
  expect(await app.call('tasks.find', { query: 'waits' })).toMatchObject({ tasks: [] });
  raw.child.stdin.end();
  expect(await raw.ended).toBe(0);
});

test('writes only protocol messages to standard output', async () => {
  const raw = startRawServer(await openApp({ tasks: ['T001'] }));
  await initialize(raw);
  raw.send(createToolCall(1, 'query', 'admin.quickstart', {}));
  raw.send(createToolCall(2, 'query', 'admin.completion', { shell: 'bash' }));
  raw.send(createToolCall(3, 'mutate', 'admin.backup.create', {}));
  for (const id of [1, 2, 3])
    expect(await raw.waitForAnswer(id)).toMatchObject({ result: { _meta: { 'cleo/envelope': { success: true } } } });
  for (const line of raw.getOutput().trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});

test.each(revisions)('compiles no functions for the messages of revision %s', async (revision) => {
  const app = await openApp({ tasks: ['T001'] });
  const preload = join(createTempFolder(), 'report-functions.cjs');
  writeFileSync(
    preload,
    `const report = (text) => require('node:fs').writeSync(2, text);
     const compile = (target, words) => (report('compiled '), Reflect.construct(target, words));
     globalThis.Function = new Proxy(Function, { construct: compile, apply: (target, _, words) => compile(target, words) });
     report('loaded ');`,
  );
  const env = { ...app.env, NODE_OPTIONS: `--require ${preload}`, BUN_OPTIONS: `--preload=${preload}` };
  const { call, getStderr } = await connectClient({ root: app.root, env }, revision);
  expect((await call('query', 'tasks.show', { taskId: 'T001' })).isError).toBe(false);
  expect(getStderr()).toBe('loaded ');
});
