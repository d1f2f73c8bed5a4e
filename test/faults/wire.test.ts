import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createToolCall, initialize, startRawServer } from '../mcp-client.ts';
import { createChoices, pickSeed } from '../random.ts';
import { createFaultProject, type FaultProject, isFull, pickSize } from './processes.ts';
import { removeRateLimit, startServer } from './server-process.ts';
import { createLine, methods } from './wire-messages.ts';

const seed = pickSeed(isFull);
const stackTrace = /\n\s+at .+:\d+:\d+|node:internal/;
/** The time in which every message must be answered, with room for a busy machine. */
const maxAnswerMs = 5000;

async function openProject(): Promise<FaultProject & { env: Record<string, string> }> {
  const project = await createFaultProject();
  await project.runOk(['add', 'One']);
  return { ...project, env: { CLEO_HOME: join(project.root, '.home') } };
}

test('every notification and request without params leaves the server running', async () => {
  const project = await openProject();
  for (const isInitialized of [false, true]) {
    const raw = startRawServer(project);
    let errors = '';
    raw.child.stderr.on('data', (text) => {
      errors += text;
    });
    if (isInitialized) await initialize(raw);
    for (const method of methods) {
      raw.send({ method });
      raw.send({ method, params: {} });
      raw.send({ method, params: null });
      raw.send({ id: `without params ${method}`, method });
    }
    raw.send({ id: 4711, method: 'ping' });
    expect(await raw.waitForAnswer(4711)).toBeDefined();
    raw.child.stdin.end();
    expect([await raw.ended, errors]).toEqual([0, '']);
  }
});

test('malformed messages over stdio, split and joined at random, leave the server running', async () => {
  const project = await openProject();
  const choices = createChoices(seed);
  const rounds = pickSize(20, 250);
  const perRound = 25;
  const raw = startRawServer(project);
  let errors = '';
  raw.child.stderr.on('data', (text) => {
    errors += text;
  });
  await initialize(raw);
  let slowest = 0;
  for (let round = 0; round < rounds; round++) {
    const lines = Array.from({ length: perRound }, () => Buffer.concat([createLine(choices), Buffer.from('\n')]));
    const id = 1_000_000 + round;
    const marker = `${JSON.stringify({ jsonrpc: '2.0', ...createToolCall(id, 'query', 'tasks.show', { taskId: 'T1' }) })}\n`;
    const bytes = Buffer.concat([...lines, Buffer.from(marker)]);
    const began = performance.now();
    for (let at = 0; at < bytes.length; ) {
      const length = choices.chance(0.5) ? choices.below(40) + 1 : choices.below(20_000) + 1;
      raw.child.stdin.write(bytes.subarray(at, at + length));
      at += length;
      if (choices.chance(0.1)) await new Promise((resolve) => setImmediate(resolve));
    }
    const answer = await raw
      .waitForAnswer(id)
      .catch((error: Error) => ({ error: `seed ${seed}, round ${round}: ${error.message} ${errors}` }));
    expect(answer).toMatchObject({ result: { structuredContent: { task: { id: 'T001' } } } });
    slowest = Math.max(slowest, performance.now() - began);
  }
  raw.child.stdin.end();
  expect([await raw.ended, errors]).toEqual([0, '']);
  expect(stackTrace.test(raw.getOutput())).toBe(false);
  console.log(`wire over stdio: seed ${seed}, ${rounds * perRound} lines, slowest ${perRound} lines ${Math.round(slowest)} ms`);
  expect(slowest).toBeLessThan(maxAnswerMs);
});

const contentTypes = ['application/json', 'application/json; charset=utf-8', 'text/plain', '', 'application/jsonx', 'multipart/form-data'];
const accepts = ['application/json, text/event-stream', 'application/json, text/event-stream', '*/*', 'text/html', ''];
const versions = ['2025-11-25', '2025-03-26', '2026-07-28', '1999-01-01', 'x'];
const paths = [
  '/mcp',
  '/mcp',
  '/mcp',
  '/api/query/tasks/show',
  '/api/mutate/tasks/add',
  '/api/query/__proto__/x',
  '/api/query/%00/%ff',
  '/healthz',
];

test('malformed requests over HTTP are answered without an internal error', async () => {
  const project = await openProject();
  await removeRateLimit(project);
  const server = await startServer(project);
  const { pick, chance, ...rest } = createChoices(seed + 1);
  const count = pickSize(400, 5000);
  let slowest = 0;
  const statuses = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const line = createLine({ pick, chance, ...rest });
    const path = pick(paths);
    const headers: Record<string, string> = { accept: pick(accepts), 'content-type': chance(0.8) ? contentTypes[0]! : pick(contentTypes) };
    if (chance(0.4)) headers['mcp-protocol-version'] = pick(versions);
    if (chance(0.1)) headers['cleo-agent'] = pick(['', 'a', 'x'.repeat(3000), '../..']);
    // A stream of notifications stays open, as it should.
    if (path === '/mcp' && line.includes('subscriptions/listen')) continue;
    const began = performance.now();
    const { status, text } = await server.send(chance(0.95) ? 'POST' : pick(['PUT', 'DELETE', 'OPTIONS', 'PATCH']), path, line, headers);
    slowest = Math.max(slowest, performance.now() - began);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const what = `seed ${seed}, request ${i}: ${path} ${JSON.stringify(headers)} ${line.toString('latin1').slice(0, 500)} → ${text.slice(0, 500)}`;
    expect(status, what).toBeLessThan(500);
    expect(stackTrace.test(text), what).toBe(false);
  }
  expect(await server.post('query/tasks/show', { taskId: 'T1' })).toMatchObject({ status: 200 });
  expect(server.getErrors()).toBe('');
  console.log(
    `wire over HTTP: seed ${seed}, ${count} requests, slowest ${Math.round(slowest)} ms, statuses ${JSON.stringify([...statuses])}`,
  );
  expect(slowest).toBeLessThan(maxAnswerMs);
});

test('bytes that are not HTTP end their connection only', async () => {
  const project = await openProject();
  const server = await startServer(project);
  const { below, pick, chance } = createChoices(seed + 2);
  const heads = [
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"jsonrpc"',
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'POST /api/query/tasks/show HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
    'GET /healthz HTTP/9.9\r\n\r\n',
    'GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET // HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /mcp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n',
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}',
  ];
  for (let i = 0; i < pickSize(120, 1500); i++) {
    const head = Buffer.from(pick(heads), 'latin1');
    for (let flips = below(4); flips > 0; flips--) head[below(head.length)] = below(256);
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(head);
        setTimeout(() => (chance(0.5) ? socket.destroy() : socket.resetAndDestroy()), 5);
      });
      socket.on('error', () => {});
      socket.on('data', () => {});
      socket.on('close', () => resolve());
    });
  }
  expect(await server.post('query/tasks/show', { taskId: 'T1' })).toMatchObject({ status: 200 });
  expect(server.getErrors()).toBe('');
});

/** Lets an exception escape from a callback whenever a program is started: the call that waits for it would never be answered. */
const faultyPrograms = `const child_process = require('node:child_process');
const { EventEmitter } = require('node:events');
const fail = () => {
  setImmediate(() => { throw new Error('escaped from a callback'); });
  const child = new EventEmitter();
  child.stdout = new EventEmitter(); child.stderr = new EventEmitter(); child.stdin = new EventEmitter();
  child.stdout.setEncoding = child.stderr.setEncoding = child.stdin.end = child.kill = child.unref = () => child.stdout;
  return child;
};
child_process.spawn = child_process.execFile = fail;`;

test('an exception that escapes from a callback is answered and logged, and the servers continue', async () => {
  const project = await openProject();
  const preload = join(project.root, 'faulty.cjs');
  writeFileSync(preload, faultyPrograms);
  const env = { ...project.env, NODE_OPTIONS: `--require ${preload}`, BUN_OPTIONS: `--preload=${preload}` };
  const call = { taskId: 'T1', gate: 'implemented', evidence: 'commit:abc1234' };
  const raw = startRawServer({ root: project.root, env });
  let errors = '';
  raw.child.stderr.on('data', (text) => {
    errors += text;
  });
  await initialize(raw);
  raw.send(createToolCall(5, 'mutate', 'verify.gate', call));
  expect(await raw.waitForAnswer(5)).toMatchObject({ error: { code: -32603 } });
  raw.send(createToolCall(6, 'query', 'tasks.show', { taskId: 'T1' }));
  expect(await raw.waitForAnswer(6)).toMatchObject({ result: { structuredContent: { task: { id: 'T001' } } } });
  expect(errors).toBe('cleo mcp: unexpected error: escaped from a callback\n');
  raw.child.stdin.end();
  expect(await raw.ended).toBe(0);
  const server = await startServer(project, [], env);
  const answer = await server.post('mutate/verify/gate', call);
  expect(answer).toMatchObject({ status: 500, body: { success: false, error: { code: 'E_GENERAL_ERROR' } } });
  expect(await server.post('query/tasks/show', { taskId: 'T1' })).toMatchObject({ status: 200 });
  expect(server.getErrors()).toBe('cleo serve: unexpected error: escaped from a callback\n');
});
