import { describe, expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';
import { createToolCaller, revisions } from '../../../test/mcp-client.ts';
import { connectOverHttp, createMcpApp } from '../../../test/mcp-surfaces.ts';
import { createMcpEndpoint } from './http.ts';

const post = (body: string, headers: Record<string, string> = {}): Request =>
  new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });

describe.each(revisions)('revision %s', (era) => {
  test('lists, calls, reads and prompts without a transport session', async () => {
    const world = await openApp({ tasks: ['T001: Write it'] });
    const client = await connectOverHttp(createMcpApp(world, false), era);
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    expect((await client.listTools()).tools).toHaveLength(2);
    expect(await createToolCaller(client)('mutate', 'tasks.add', { title: 'Second' })).toMatchObject({
      envelope: { task: { id: 'T002' } },
    });
    expect(await client.readResource({ uri: 'cleo://task/T001' })).toMatchObject({ contents: [{ uri: 'cleo://task/T001' }] });
    expect(await client.getPrompt({ name: 'spawn-task', arguments: { task: 'T001' } })).toMatchObject({ messages: [{ role: 'user' }, {}] });
  });

  test('declares notifications only if it can send them', async () => {
    const client = await connectOverHttp(createMcpApp(await openApp(), false), era);
    expect(client.getServerCapabilities()?.resources).toEqual(era === '2026-07-28' ? { subscribe: true, listChanged: true } : {});
  });

  test('takes the agent from the call or from the token', async () => {
    const world = await openApp();
    const app = createMcpApp(world, false);
    await createToolCaller(await connectOverHttp(app, era))('mutate', 'tasks.add', { title: 'One' }, { agent: 'ann' });
    await createToolCaller(await connectOverHttp(app, era, { token: { name: 'ci', scope: 'mutate' } }))('mutate', 'tasks.add', {
      title: 'Two',
    });
    const agents = (await world.store.read(({ audit }) => audit.list({}, { limit: 2, offset: 0 }))).map(({ agent }) => agent);
    expect(agents).toEqual(['ci', 'ann']);
  });
});

test('notifies a client of changes by another', async () => {
  const world = await openApp({ tasks: ['T001'] });
  const handlerApp = createMcpApp(world, false);
  const handler = createMcpEndpoint(handlerApp);
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const open = async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const fetch = (url: string | URL, init?: RequestInit) => handler.handle(new Request(url, init));
    await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
    return client;
  };
  const [listener, writer] = [await open(), await open()];
  const notified: string[] = [];
  listener.setNotificationHandler('notifications/resources/updated', ({ params }) => void notified.push(params.uri));
  await listener.listen({ resourceSubscriptions: ['cleo://task/T001'] });
  await createToolCaller(writer)('mutate', 'tasks.update', { taskId: 'T1', notes: 'x' });
  await expect.poll(() => notified).toEqual(['cleo://task/T001']);
  await listener.close();
  await writer.close();
  await handler.close();
});

test('answers an invalid request with a status and serves the next one', async () => {
  const handler = createMcpEndpoint(createMcpApp(await openApp(), false), { maxBytes: 1000 });
  const status = async (request: Request): Promise<number> => (await handler.handle(request)).status;
  expect(await status(post('{'))).toBe(400);
  expect(await status(post('[]'))).toBe(400);
  expect(await status(post('x'.repeat(2000)))).toBe(413);
  expect(await status(post('{}', { 'content-type': 'text/plain' }))).toBe(415);
  expect(await status(new Request('http://127.0.0.1/mcp'))).toBe(405);
  expect(await status(new Request('http://127.0.0.1/mcp', { method: 'DELETE' }))).toBe(405);
  const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect(await status(post(JSON.stringify(ping)))).toBe(200);
});
