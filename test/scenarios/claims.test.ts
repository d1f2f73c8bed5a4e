import { expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../app.ts';

const work = [
  'T001 epic: Parser',
  'T002 in T001: Lexer',
  'T003 in T001: Trees',
  'T004 in T001: Errors',
  'T009 epic: Other',
  'T010 in T009: Else',
];
const parser = 'session s-parser epic:T001 by ada: Parse';
const all = 'session s-all global by eve: All';

const startTask = async (app: TestApp, agent: string, taskId: string, session?: string): Promise<Json> =>
  app.call('tasks.start', { taskId }, { agent, ...(session ? { session } : {}) });
const getFocus = async (app: TestApp, agent: string, session?: string): Promise<string | undefined> =>
  (await app.call('tasks.current', {}, { agent, ...(session ? { session } : {}) })).task.id;
/** Makes the lease expire: the holder was last active a year ago. */
const expireLease = (app: TestApp, taskId: string): Promise<void> =>
  app.tamper(`update claims set renewed_at = '2020-01-01T00:00:00.000Z' where task_id = '${taskId}'`);

test('several agents in one session each have their own focus', async () => {
  const app = await openApp({ tasks: [...work, parser] });
  for (const [agent, taskId] of [
    ['ada', 'T002'],
    ['bob', 'T003'],
    ['eve', 'T004'],
  ] as const)
    expect(await startTask(app, agent, taskId, 's-parser')).toMatchObject({ success: true, task: { status: 'active' } });
  expect((await startTask(app, 'bob', 'T002', 's-parser')).error).toMatchObject({ exitCode: 35, details: { holder: 'ada (s-parser)' } });
  const listFocuses = () => Promise.all(['ada', 'bob', 'eve'].map((agent) => getFocus(app, agent, 's-parser')));
  expect(await listFocuses()).toEqual(['T002', 'T003', 'T004']);
  // A task that was already claimed is reported as such.
  expect(await startTask(app, 'ada', 'T002')).toMatchObject({ success: true, _meta: { exitCode: 102 } });
  expect(await app.call('tasks.complete', {}, { agent: 'bob', session: 's-parser' })).toMatchObject({ task: { id: 'T003' } });
  expect(await listFocuses()).toEqual(['T002', undefined, 'T004']);
});

test('one agent in two sessions has two focuses and separate claims', async () => {
  const app = await openApp({ tasks: [...work, parser, 'session s-all global by ada: All'] });
  await startTask(app, 'ada', 'T002', 's-parser');
  expect(await startTask(app, 'ada', 'T010', 's-all')).toMatchObject({ success: true });
  expect([await getFocus(app, 'ada', 's-parser'), await getFocus(app, 'ada', 's-all')]).toEqual(['T002', 'T010']);
  expect((await startTask(app, 'ada', 'T002', 's-all')).error).toMatchObject({ exitCode: 35, details: { holder: 'ada (s-parser)' } });
});

test.each(['s-all', 's-parser'])('takes over an expired claim from %s, logs it, and informs the former holder', async (session) => {
  const app = await openApp({ tasks: [...work, parser, all] });
  await startTask(app, 'ada', 'T002', 's-parser');
  expect((await startTask(app, 'bob', 'T002', session)).error.exitCode).toBe(35);
  await expireLease(app, 'T002');
  expect(await startTask(app, 'bob', 'T002', session)).toMatchObject({
    success: true,
    takenOverFrom: 'ada (s-parser)',
    _meta: { warnings: [expect.stringContaining('taken over from ada')] },
  });
  const [entry] = await app.store.read(({ audit }) => audit.list({}, { limit: 1, offset: 0 }));
  expect(entry).toMatchObject({ agent: 'bob', session, operation: 'start', success: true, updated: ['T002'] });
  const { history } = await app.call('tasks.history', { taskId: 'T002' });
  expect(history.map(({ reason }: Json) => reason)).toContain('the claim of ada (s-parser) expired');
  expect((await app.call('tasks.complete', { taskId: 'T002' }, { agent: 'ada', session: 's-parser' })).error.details.holder).toBe(
    `bob (${session})`,
  );
  expect(await getFocus(app, 'ada', 's-parser')).toBeUndefined();
});

test('any write renews the claims of an agent; a read does not', async () => {
  const app = await openApp({ tasks: [...work, parser, all] });
  await startTask(app, 'ada', 'T002', 's-parser');
  await expireLease(app, 'T002');
  await app.call('tasks.update', { taskId: 'T003', notes: 'Seen' }, { agent: 'ada', session: 's-parser' });
  expect((await startTask(app, 'bob', 'T002', 's-all')).error.exitCode).toBe(35);
  await expireLease(app, 'T002');
  await app.call('tasks.show', { taskId: 'T002' }, { agent: 'ada', session: 's-parser' });
  expect(await startTask(app, 'bob', 'T002', 's-all')).toMatchObject({ takenOverFrom: 'ada (s-parser)' });
});

test('the end of a session releases exactly the claims of its agents', async () => {
  const app = await openApp({ tasks: [...work, parser, all] });
  await startTask(app, 'ada', 'T002', 's-parser');
  await startTask(app, 'bob', 'T003', 's-parser');
  await startTask(app, 'eve', 'T010', 's-all');
  expect((await startTask(app, 'zoe', 'T002', 's-all')).error.exitCode).toBe(35);
  expect(await app.call('session.end', {}, { agent: 'ada', session: 's-parser' })).toMatchObject({ released: ['T002', 'T003'] });
  expect(await startTask(app, 'zoe', 'T002', 's-all')).toMatchObject({ success: true, task: { status: 'active' } });
  expect([await getFocus(app, 'bob'), await getFocus(app, 'eve', 's-all'), await getFocus(app, 'zoe', 's-all')]).toEqual([
    undefined,
    'T010',
    'T002',
  ]);
});

test('a suspended session keeps its claims until they expire', async () => {
  const app = await openApp({ tasks: [...work, parser, all] });
  await startTask(app, 'ada', 'T002', 's-parser');
  await app.call('session.suspend', {}, { agent: 'ada', session: 's-parser' });
  expect((await startTask(app, 'bob', 'T002', 's-all')).error.exitCode).toBe(35);
  await app.call('session.resume', { sessionId: 's-parser' }, { agent: 'ada' });
  expect(await getFocus(app, 'ada')).toBe('T002');
  await app.call('session.suspend', {}, { agent: 'ada', session: 's-parser' });
  await expireLease(app, 'T002');
  expect(await startTask(app, 'bob', 'T002', 's-all')).toMatchObject({ takenOverFrom: 'ada (s-parser)' });
});

test('next --claim stays in the session scope and skips claimed tasks', async () => {
  const app = await openApp({ tasks: [...work, parser, all] });
  const claimed = async (agent: string, session: string) => (await app.call('tasks.claim-next', {}, { agent, session })).task.id;
  expect([
    await claimed('a', 's-parser'),
    await claimed('b', 's-parser'),
    await claimed('c', 's-parser'),
    await claimed('d', 's-parser'),
  ]).toEqual(['T002', 'T003', 'T004', undefined]);
  expect(await claimed('d', 's-all')).toBe('T010');
  expect(await app.call('tasks.claim-next', {}, { agent: 'e', session: 's-parser' })).toMatchObject({ _meta: { exitCode: 100 } });
});
