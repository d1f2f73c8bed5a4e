import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openApp } from './app.ts';
import { connectClient, createToolCall, createToolCaller, initialize, revisions, startRawServer } from './mcp-client.ts';
import { connectOverHttp, createMcpApp } from './mcp-surfaces.ts';

describe.each(revisions)('revision %s', (revision) => {
  test('a server for one agent stays in its session until it starts another', async () => {
    const { call } = await connectClient(await openApp({ tasks: ['T001 epic', 'T002 in T001'] }), revision);
    const { envelope } = await call('mutate', 'session.start', { scope: 'epic:T001', autoFocus: true });
    const { id } = envelope.session;
    expect((await call('query', 'tasks.current')).envelope).toMatchObject({ _meta: { sessionId: id }, task: { id: 'T002' } });
    expect((await call('mutate', 'tasks.complete')).envelope).toMatchObject({ _meta: { sessionId: id }, task: { id: 'T002' } });
    expect((await call('mutate', 'session.end', { note: 'Done' })).envelope).toMatchObject({ success: true });
    expect((await call('query', 'session.status')).envelope).toMatchObject({ session: { id, status: 'ended' } });
    await call('mutate', 'tasks.add', { title: 'More', parent: 'T001' });
    const next = (await call('mutate', 'session.start', { scope: 'epic:T001', autoFocus: true })).envelope.session;
    expect(next.id).not.toBe(id);
    expect((await call('query', 'tasks.current')).envelope).toMatchObject({ _meta: { sessionId: next.id }, task: { id: 'T003' } });
  });

  test('keeps sessions, focus and log entries of two agents apart', async () => {
    const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 epic', 'T004 in T003'] });
    const { call } = await connectClient(app, revision);
    const begin = async (agent: string, scope: string): Promise<string> =>
      (await call('mutate', 'session.start', { scope, autoFocus: true, grade: true }, { agent })).envelope.session.id;
    const sessions = { ann: await begin('ann', 'epic:T001'), ben: await begin('ben', 'epic:T003') };
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const agent = i % 2 === 0 ? 'ann' : 'ben';
        return i % 4 < 2 ? call('query', 'tasks.current', {}, { agent }) : call('mutate', 'tasks.update', { notes: `${i}` }, { agent });
      }),
    );
    const focused = async (agent: string): Promise<unknown> => (await call('query', 'tasks.current', {}, { agent })).envelope.task;
    expect(await focused('ann')).toMatchObject({ id: 'T002' });
    expect(await focused('ben')).toMatchObject({ id: 'T004' });
    const entries = await app.store.read(({ audit }) => audit.listAfter(0, 100));
    expect(new Set(entries.map(({ agent, session }) => `${agent} ${session}`))).toEqual(
      new Set([`ann ${sessions.ann}`, `ben ${sessions.ben}`]),
    );
    expect(entries.filter(({ gateway }) => gateway === 'cleo_query').length).toBeGreaterThanOrEqual(12);
  });

  test('a graded session over MCP gets the points for MCP', async () => {
    const { call } = await connectClient(await openApp({ tasks: ['T001 epic', 'T002 in T001'] }), revision);
    const { id } = (await call('mutate', 'session.start', { scope: 'epic:T001', autoFocus: true, grade: true })).envelope.session;
    await call('query', 'session.list');
    await call('query', 'admin.help');
    await call('query', 'tasks.find', { query: 'task' });
    await call('query', 'tasks.show', { taskId: 'T002' });
    await call('mutate', 'tasks.complete');
    await call('mutate', 'session.end', { note: 'Done' });
    const { grade } = (await call('query', 'admin.grade', { sessionId: id })).envelope;
    expect(grade).toMatchObject({ totalScore: 100, dimensions: { disclosureUse: { score: 20 } } });
  });

  test('reads of resources are not in the log of a graded session', async () => {
    const app = await openApp({ tasks: ['T001 epic', 'T002 in T001'] });
    const { client, call } = await connectClient(app, revision);
    await call('mutate', 'session.start', { scope: 'epic:T001', autoFocus: true, grade: true });
    const readHead = async (): Promise<number> => (await app.store.read(({ audit }) => audit.getHead()))!.seq;
    const before = await readHead();
    await client.listResources();
    await client.readResource({ uri: 'cleo://task/T002' });
    await client.readResource({ uri: 'cleo://briefing' });
    expect(await readHead()).toBe(before);
    // A call of a tool is.
    await call('query', 'tasks.show', { taskId: 'T002' });
    expect(await readHead()).toBe(before + 1);
  });

  test('serves the briefing, the protocol and grades as resources', async () => {
    const { client } = await connectClient(await openApp({ tasks: ['T001'] }), revision);
    const text = async (uri: string): Promise<string> => {
      const [first] = (await client.readResource({ uri })).contents;
      return (first as { text: string }).text;
    };
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining(['cleo://briefing', 'cleo://injection/minimal', 'cleo://injection/orchestrator', 'cleo://task/T001']),
    );
    expect(await text('cleo://briefing')).toMatch(/T001/);
    expect((await text('cleo://injection/orchestrator')).length).toBeGreaterThan((await text('cleo://injection/minimal')).length);
    expect(JSON.parse(await text('cleo://grade/session-1'))).toMatchObject({ totalScore: 0 });
    await expect(client.readResource({ uri: 'cleo://injection/everything' })).rejects.toThrow();
    const complete = async (uri: string, name: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values;
    expect(await complete('cleo://injection/{tier}', 'tier', 's')).toEqual(['standard']);
    expect(await complete('cleo://grade/{session}', 'session', 'session-')).toEqual([]);
  });
});

test('over HTTP each call names its session', async () => {
  const world = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 epic', 'T004 in T003'] });
  const call = createToolCaller(await connectOverHttp(createMcpApp(world, false), '2026-07-28'));
  const begin = async (agent: string, scope: string): Promise<string> =>
    (await call('mutate', 'session.start', { scope, autoFocus: true }, { agent })).envelope.session.id;
  const [first, second] = [await begin('ann', 'epic:T001'), await begin('ben', 'epic:T003')];
  expect((await call('query', 'session.status', {}, { session: first })).envelope).toMatchObject({ session: { id: first } });
  expect((await call('query', 'session.status', {}, { session: second })).envelope).toMatchObject({ session: { id: second } });
  expect((await call('query', 'session.status', {}, { agent: 'carl' })).envelope).not.toMatchObject({
    session: { id: expect.any(String) },
  });
});

test('console output of code goes to standard error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-stray-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stray = join(folder, 'stray.cjs');
  writeFileSync(stray, `setInterval(() => { console.log('stray'); console.info('stray'); console.debug('stray'); }, 5).unref();`);
  const app = await openApp({ tasks: ['T001'] });
  const env = { ...app.env, NODE_OPTIONS: `--require ${stray}`, BUN_OPTIONS: `--preload=${stray}` };
  const raw = startRawServer({ root: app.root, env });
  let stderr = '';
  raw.child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await initialize(raw);
  await sleep(50);
  raw.send(createToolCall(1, 'query', 'tasks.show', { taskId: 'T1' }));
  expect(await raw.waitForAnswer(1)).toMatchObject({ result: { structuredContent: { task: { id: 'T001' } } } });
  expect(raw.getOutput()).not.toContain('stray');
  expect(stderr).toContain('stray');
});
