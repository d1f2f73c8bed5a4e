import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { strictObject, string } from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { job } from '#core/define.ts';
import type { Caller } from '#core/model/audit.ts';
import type { App } from '#dispatch/call-context.ts';
import { markAway, renewLease } from '#dispatch/lease.ts';
import { type Json, openApp } from '../../../test/app.ts';
import { createMcpApp } from '../../../test/mcp-surfaces.ts';
import { openSkillProject } from '../../../test/skill-project.ts';
import { trustProject } from '../../../test/trust.ts';
import { serveClient } from './stdio.ts';

/** Starts a server in this process with streams instead of standard input and output. */
function open(app: App, renew: (caller: Caller) => Promise<number | undefined> = async () => undefined, renewEveryMs = 60_000) {
  const [input, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
  const messages: Json[] = [];
  output.on('data', (chunk) =>
    messages.push(
      ...String(chunk)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ),
  );
  const done = serveClient(app, {
    input,
    output,
    stop: stop.signal,
    report: () => {},
    renew,
    releaseConnections: async () => {},
    markAway: (caller) => markAway(app, caller),
    renewEveryMs,
  });
  onTestFinished(() => {
    stop.abort();
    return done;
  });
  const send = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const until = async (fits: (message: Json) => boolean): Promise<Json> => {
    for (;;) {
      const found = messages.find(fits);
      if (found) return found;
      await sleep(5);
    }
  };
  send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  });
  send({ method: 'notifications/initialized' });
  const call = (id: number, gateway: string, operation: string, params: object, meta: object = {}): void =>
    send({
      id,
      method: 'tools/call',
      params: { name: `cleo_${gateway}`, arguments: { domain: 'tasks', operation, params, ...meta }, _meta: meta },
    });
  return { input, stop, done, send, until, call, messages };
}

/** Adds an operation that runs until `end` is called. */
function withSlow(app: App): { app: App; end: () => void } {
  let end = (): void => {};
  const waited = new Promise<void>((resolve) => {
    end = resolve;
  });
  const slow = job({
    name: 'tasks.slow',
    summary: 'Wait',
    params: strictObject({}),
    result: strictObject({ said: string() }),
    errors: [],
    tier: 2,
    needs: 'nothing',
    cli: { command: 'slow' },
    example: { call: {} },
    run: async () => {
      await waited;
      return { said: 'done' };
    },
  });
  const entry = { name: slow.name, aliases: [], kind: slow.kind, tier: slow.tier, commands: ['slow'], load: async () => slow };
  const registry = { ...app.registry, find: (name: string) => (name === slow.name ? entry : app.registry.find(name)) };
  return { app: { ...app, registry }, end };
}

test('long work reports progress to a client that asked for it, once a second', async () => {
  const { app, end } = withSlow(createMcpApp(await openApp(), true));
  const { until, send, messages } = open(app);
  send({
    id: 1,
    method: 'tools/call',
    params: { name: 'cleo_mutate', arguments: { domain: 'tasks', operation: 'slow' }, _meta: { progressToken: 'p' } },
  });
  await until(({ params }) => params?.progress === 2);
  end();
  expect(await until(({ id }) => id === 1)).toMatchObject({ result: { structuredContent: { said: 'done' } } });
  // On a busy machine a third one is sent before the job ends.
  const reports = messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
  expect(reports.slice(0, 2)).toEqual([
    { progressToken: 'p', progress: 1, message: 'tasks.slow: 1 s' },
    { progressToken: 'p', progress: 2, message: 'tasks.slow: 2 s' },
  ]);
});

test('reports the progress of a run with the same lines as the terminal', async () => {
  const shop = await openSkillProject();
  shop.writeSkill('greet', 'echo hello');
  await trustProject(shop.root, shop.env);
  const { until, send, messages } = open(createMcpApp(shop, true));
  const params = { domain: 'skills', operation: 'run', params: { name: 'greet' } };
  send({ id: 1, method: 'tools/call', params: { name: 'cleo_mutate', arguments: params, _meta: { progressToken: 'p' } } });
  expect(await until(({ id }) => id === 1)).toMatchObject({ result: { structuredContent: { run: { status: 'success' } } } });
  const lines = messages
    .filter(({ method }) => method === 'notifications/progress')
    .map(({ params: { progress, message } }) => ({ progress, message }));
  expect(lines.slice(0, 4)).toEqual([
    { progress: 1, message: 'skill' },
    { progress: 2, message: 'greet · precondition gate' },
    { progress: 3, message: expect.stringMatching(/^greet · attempt 1 · exit 0 · \d\.\d s$/) },
    { progress: 4, message: 'greet · execution gate · 4 checks' },
  ]);
});

test('finishes running work after the end of the input or a stop signal', async () => {
  for (const how of ['end', 'stop']) {
    const { app, end } = withSlow(createMcpApp(await openApp(), true));
    const { input, stop, done, until, call } = open(app);
    call(1, 'mutate', 'slow', {});
    await until(({ id }) => id === 0);
    if (how === 'end') input.end();
    else stop.abort();
    await sleep(20);
    end();
    await done;
    expect(await until(({ id }) => id === 1)).toMatchObject({ result: { structuredContent: { said: 'done' } } });
  }
});

test('renews the claims of its agents without an audit row', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' };
  const world = await openApp({ tasks: ['T001', 'T002'] });
  const built = createMcpApp(world, true);
  const app = { ...built, platform: { ...built.platform, now: () => clock.now } };
  const { call, until } = open(app, (caller) => renewLease(app, caller), 10);
  call(1, 'mutate', 'start', { taskId: 'T1' });
  await until(({ id }) => id === 1);
  const renewedAt = async (): Promise<string | undefined> => (await world.store.read(({ claims }) => claims.get('T001')))?.renewedAt;
  const entries = (): Promise<number> => world.store.read(({ audit }) => audit.count({}, 100));
  const [before, logged] = [await renewedAt(), await entries()];
  expect(before).toBe('2026-03-01T10:00:00.000Z');
  clock.now = '2026-03-01T10:01:00.000Z';
  await sleep(60);
  expect(await renewedAt()).toBe(before);
  clock.now = '2026-03-01T10:02:00.000Z';
  await expect.poll(renewedAt).toBe(clock.now);
  expect(await entries()).toBe(logged);
});

test.each([
  ['the client process is known', undefined, { process: 'here/100/42', awayAt: expect.any(String) }],
  ['the agent is named outright', 'worker', { agent: 'worker' }],
])('a closed connection marks the claims as away if %s', async (_, agent, expected) => {
  const world = await openApp({ tasks: ['T001'] });
  const built = createMcpApp(world, true);
  const client = { client: 'claude', pid: 100, startTime: '42', key: 'here/100/42' };
  const app: App = {
    ...built,
    platform: {
      ...built.platform,
      caller: { agent: 'claude-a' },
      identity: { kind: 'conversation', agent: 'claude-a', client: 'claude' },
      loadProcesses: async () => ({
        ...(await built.platform.loadProcesses()),
        findClientProcess: () => client,
        isProcessRunning: () => true,
      }),
    },
  };
  const readClaim = () => world.store.read(({ claims }) => claims.get('T001'));
  const { call, until, input, done } = open(app);
  call(1, 'mutate', 'start', { taskId: 'T1' }, agent ? { agent } : {});
  await until(({ id }) => id === 1);
  // A read does not know the process of its caller; the server remembers it.
  call(2, 'query', 'current', {}, agent ? { agent } : {});
  await until(({ id }) => id === 2);
  const logged = await world.store.read(({ audit }) => audit.count({}, 100));
  input.end();
  await done;
  expect(await readClaim()).toMatchObject(expected);
  if (agent) expect(await readClaim()).not.toHaveProperty('awayAt');
  expect(await world.store.read(({ audit }) => audit.count({}, 100))).toBe(logged);
});

test('the old server of a client that was restarted does not mark its claims as away', async () => {
  const world = await openApp({ tasks: ['T001'] });
  const app = createMcpApp(world, true);
  const stamp = { at: new Date().toISOString(), by: 'claude-a' };
  const { at } = stamp;
  await world.store.write(stamp, async ({ claims }) => {
    await claims.insert({ taskId: 'T001', agent: 'claude-a', claimedAt: at, focusedAt: at, renewedAt: at, process: 'old' });
    await claims.renew({ agent: 'claude-a', process: 'new' }, at);
  });
  const readClaim = () => world.store.read(({ claims }) => claims.get('T001'));
  await markAway(app, { agent: 'claude-a', process: 'old' });
  expect(await readClaim()).not.toHaveProperty('awayAt');
  await markAway(app, { agent: 'claude-a', process: 'new' });
  expect(await readClaim()).toMatchObject({ process: 'new', awayAt: expect.any(String) });
  await renewLease(app, { agent: 'claude-a', process: 'new' });
  expect(await readClaim()).not.toHaveProperty('awayAt');
});
