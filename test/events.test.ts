import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLogFeed } from '../src/dispatch/feed/log-feed.ts';
import { createEventStreams } from '../src/surfaces/http/events.ts';
import { asPerson } from './app.ts';
import { readEvents } from './event-reader.ts';
import { createBearerHeader, createServerApp, openServer, startServer } from './http-server.ts';

const starter = { agent: 'ada', isPerson: true };
const events = { beatMs: 60_000 };

test('reports each committed change with its ids, whoever made it', async () => {
  const { url, post, app, pageHeaders } = await openServer({}, { starter, events });
  const reader = await readEvents(`${url}/api/events`, pageHeaders);
  expect([reader.status, reader.headers.get('content-type'), reader.headers.get('cache-control')]).toEqual([
    200,
    'text/event-stream',
    'no-store',
  ]);
  expect(await reader.find(({ event }) => event === 'hello')).toMatchObject({
    data: {
      seq: expect.any(Number),
      caller: { agent: 'ada', kind: 'person', via: 'page' },
      canWrite: true,
      scope: 'mutate',
      store: 'sqlite',
    },
  });
  await post('mutate/tasks/add', { title: 'By the page' }, pageHeaders);
  const own = await reader.find(({ data }) => data.created?.includes('T001'));
  expect(own).toMatchObject({ event: 'change', id: own.data.seq, data: { operation: 'tasks.add', agent: 'ada', at: expect.any(String) } });
  // Another process, under an alias.
  await app.call('tasks.update', { taskId: 'T001', notes: 'password=hunter2hunter2' });
  const other = await reader.find(({ data }) => data.updated?.includes('T001'));
  expect(other).toMatchObject({ event: 'change', data: { operation: 'tasks.update', agent: 'tester' } });
  await app.reply('tasks.update', { taskId: 'T099', notes: 'x' });
  expect(await reader.find(({ event }) => event === 'call')).toMatchObject({
    data: { operation: 'tasks.update', success: false, errorCode: 'E_NOT_FOUND' },
  });
  expect(JSON.stringify(reader.events)).not.toContain('hunter2');
  reader.close();
});

test('resumes after the last event and loses none of 1,000 changes, also across a restart of the server', async () => {
  const { url, app, stop } = await openServer({}, { starter, events });
  const seen: number[] = [];
  const readSome = async (base: string, after: number, count: number): Promise<number> => {
    const reader = await readEvents(`${base}/api/events`, { 'last-event-id': String(after) });
    await reader.find(({ id = 0 }) => id >= after + count);
    reader.close();
    const read = reader.events.flatMap(({ id }) => (id === undefined ? [] : [id])).slice(0, count);
    seen.push(...read);
    return read.at(-1)!;
  };
  await app.call('tasks.add', { title: 'Changed a thousand times' });
  const first = (await app.call('admin.log', { limit: 1 })).entries[0].seq;
  const [draft] = await app.store.read(({ audit }) => audit.listAfter(first - 1, 1));
  const writing = (async () => {
    for (let i = 0; i < 200; i++)
      await app.store.write({ at: draft!.timestamp, by: 'tester' }, async ({ audit }) => {
        for (let j = 0; j < 5; j++) await audit.append({ ...draft!, operation: 'update', created: [], updated: ['T001'] });
      });
  })();
  let last = first;
  for (const count of [1, 37, 200, 262]) last = await readSome(url, last, count);
  await stop();
  const next = await startServer(app, { starter, events });
  for (const count of [300, 200]) last = await readSome(next.url, last, count);
  await writing;
  expect(seen).toEqual(Array.from({ length: 1000 }, (_, i) => first + 1 + i));
});

test('begins with the next change without a position, and says when the position is of another log', async () => {
  const { url, app } = await openServer({ tasks: ['T001'] }, { starter, events });
  await app.call('tasks.add', { title: 'Before' });
  const head = (await app.call('admin.log', { limit: 1 })).entries[0].seq;
  const reader = await readEvents(`${url}/api/events`);
  const ahead = await readEvents(`${url}/api/events?after=${head + 100}`);
  expect(await ahead.find(({ event }) => event === 'reset')).toMatchObject({ id: head, data: { seq: head } });
  await app.call('tasks.add', { title: 'After' });
  for (const each of [reader, ahead]) {
    await each.find(({ event }) => event === 'change');
    expect(each.events.filter(({ event }) => event === 'change').map(({ id }) => id)).toEqual([head + 1]);
    each.close();
  }
  expect((await readEvents(`${url}/api/events?after=x`)).status).toBe(422);
});

test('a revoked token ends its stream, and streams are not logged', async () => {
  const { url, app, createToken, post } = await openServer({ tasks: ['T001'] }, { starter, events });
  const headers = createBearerHeader(await createToken('query', 'reader'));
  const reader = await readEvents(`${url}/api/events`, headers);
  expect(await reader.find(({ event }) => event === 'hello')).toMatchObject({ data: { canWrite: false, caller: { token: 'reader' } } });
  await app.call('tasks.update', { taskId: 'T001', notes: 'seen' });
  await reader.find(({ event }) => event === 'change');
  await app.call('admin.token.revoke', { name: 'reader' }, asPerson);
  await reader.ended;
  expect(reader.events.at(-1)).toMatchObject({ event: 'denied', data: { code: 'E_UNAUTHORIZED' } });
  expect(reader.events.filter(({ event }) => event === 'change')).toHaveLength(1);
  expect((await readEvents(`${url}/api/events`, headers)).status).toBe(401);
  const { entries } = (await post('query/admin/log', { agent: 'reader' })).body;
  expect(entries).toEqual([]);
});

test('a stopping server ends its streams at once', async () => {
  const { url, stop } = await openServer({}, { starter, events });
  const reader = await readEvents(`${url}/api/events`);
  await reader.find(({ event }) => event === 'hello');
  const startedAt = performance.now();
  await stop();
  await reader.ended;
  expect(performance.now() - startedAt).toBeLessThan(3000);
});

test('a reader that does not read is told to resume, and delays no other', async () => {
  const { app } = await openServer({ tasks: ['T001'] }, { starter });
  const shared = createServerApp(app);
  const streams = createEventStreams(shared, createLogFeed(shared), { beatMs: 50, maxStallMs: 150, maxBufferedBytes: 1000 });
  const open = async (): Promise<ReadableStreamDefaultReader<Uint8Array>> =>
    (await streams.open({ after: 0, hello: {}, checkAccess: async () => {} })).body!.getReader();
  for (let i = 0; i < 30; i++) await app.call('tasks.update', { taskId: 'T001', labels: [`l${i}`] });
  const [slow, quick] = [await open(), await open()];
  const read = async (from: typeof slow): Promise<string> => {
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { done, value } = await from.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
      if (from === quick && /"updated":\["T001"\]/.test(text)) return text;
    }
  };
  expect(await read(quick)).toContain('event: change');
  await new Promise((resolve) => setTimeout(resolve, 400));
  const rest = await read(slow);
  const after = Number(/event: resume\ndata: \{"after":(\d+)\}/.exec(rest)?.[1]);
  expect(after).toBe(Number([...rest.matchAll(/^id: (\d+)$/gm)].at(-1)![1]));
  streams.close();
  await shared.closeStores();
});

test('keeps the connection open with comments', async () => {
  const { url } = await openServer({}, { starter, events: { beatMs: 50 } });
  const reader = await readEvents(`${url}/api/events`);
  await reader.find(({ event }) => event === 'hello');
  await expect.poll(() => reader.comments, { timeout: 5000 }).toBeGreaterThan(2);
  reader.close();
});

test('callers that wait for a task get one each, and a stopping server answers the others', async () => {
  const { app, post, stop } = await openServer({}, { starter, events });
  const waiting = ['ada', 'eve', 'kim'].map((agent) => post('mutate/tasks/claim-next', { wait: true }, { 'cleo-agent': agent }));
  await sleep(300);
  await app.call('tasks.add', { title: 'First' });
  await app.call('tasks.add', { title: 'Second' });
  await expect.poll(async () => (await app.call('tasks.next'))._meta.exitCode).toBe(100);
  const startedAt = performance.now();
  await stop();
  const answers = (await Promise.all(waiting)).map(({ body }) => body);
  expect(performance.now() - startedAt).toBeLessThan(3000);
  expect(answers.flatMap(({ task }) => task?.id ?? []).sort()).toEqual(['T001', 'T002']);
  expect(answers.filter(({ success }) => !success)).toMatchObject([
    { error: { exitCode: 7, message: expect.stringContaining('stopped') } },
  ]);
});

test('a caller that disconnects no longer waits', async () => {
  const { app, url } = await openServer({}, { starter, events });
  const controller = new AbortController();
  const request = fetch(`${url}/api/mutate/tasks/claim-next`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ wait: true }),
    signal: controller.signal,
  });
  await sleep(300);
  controller.abort();
  await expect(request).rejects.toThrow();
  await sleep(50);
  await app.call('tasks.add', { title: 'Work' });
  await sleep(400);
  expect(await app.call('tasks.next')).toMatchObject({ recommendation: { taskId: 'T001' } });
});
