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

const start = async (app: TestApp, agent: string, taskId: string, session?: string): Promise<Json> =>
  app.call('tasks.start', { taskId }, { agent, ...(session ? { session } : {}) });
const focusOf = async (app: TestApp, agent: string, session?: string): Promise<string | undefined> =>
  (await app.call('tasks.current', {}, { agent, ...(session ? { session } : {}) })).task.id;
/** As if nothing had been heard of the holder for a year. */
const lapse = (app: TestApp, taskId: string): Promise<void> =>
  app.tamper(`update claims set renewed_at = '2020-01-01T00:00:00.000Z' where task_id = '${taskId}'`);

test('several agents in one session each have a focus of their own', async () => {
  const app = await openApp({ tasks: [...work, parser] });
  for (const [agent, taskId] of [
    ['ada', 'T002'],
    ['bob', 'T003'],
    ['eve', 'T004'],
  ] as const)
    expect(await start(app, agent, taskId, 's-parser')).toMatchObject({ success: true, task: { status: 'active' } });
  expect((await start(app, 'bob', 'T002', 's-parser')).error).toMatchObject({ exitCode: 35, details: { holder: 'ada (s-parser)' } });
  expect([await focusOf(app, 'ada'), await focusOf(app, 'bob'), await focusOf(app, 'eve')]).toEqual(['T002', 'T003', 'T004']);
  // What is held already is told apart from what has just been taken.
  expect(await start(app, 'ada', 'T002')).toMatchObject({ success: true, _meta: { exitCode: 102 } });
  expect(await app.call('tasks.complete', {}, { agent: 'bob', session: 's-parser' })).toMatchObject({ task: { id: 'T003' } });
  expect([await focusOf(app, 'ada'), await focusOf(app, 'bob')]).toEqual(['T002', undefined]);
});

test('one agent in two sessions has two focuses, and is another holder in each', async () => {
  const app = await openApp({ tasks: [...work, parser, 'session s-all global by ada: All'] });
  await start(app, 'ada', 'T002', 's-parser');
  expect(await start(app, 'ada', 'T010', 's-all')).toMatchObject({ success: true });
  expect([await focusOf(app, 'ada', 's-parser'), await focusOf(app, 'ada', 's-all')]).toEqual(['T002', 'T010']);
  expect((await start(app, 'ada', 'T002', 's-all')).error).toMatchObject({ exitCode: 35, details: { holder: 'ada (s-parser)' } });
});

test.each(['s-all', 's-parser'])(
  'a claim that has lapsed is taken over from %s, which is told and logged, and the former holder learns of it',
  async (session) => {
    const app = await openApp({ tasks: [...work, parser, all] });
    await start(app, 'ada', 'T002', 's-parser');
    expect((await start(app, 'bob', 'T002', session)).error.exitCode).toBe(35);
    await lapse(app, 'T002');
    expect(await start(app, 'bob', 'T002', session)).toMatchObject({
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
    expect(await focusOf(app, 'ada', 's-parser')).toBeUndefined();
  },
);

test('whoever writes, even elsewhere, keeps its claims; a reader does not', async () => {
  const app = await openApp({ tasks: [...work, parser, all] });
  await start(app, 'ada', 'T002', 's-parser');
  await lapse(app, 'T002');
  await app.call('tasks.update', { taskId: 'T003', notes: 'Seen' }, { agent: 'ada', session: 's-parser' });
  expect((await start(app, 'bob', 'T002', 's-all')).error.exitCode).toBe(35);
  await lapse(app, 'T002');
  await app.call('tasks.show', { taskId: 'T002' }, { agent: 'ada', session: 's-parser' });
  expect(await start(app, 'bob', 'T002', 's-all')).toMatchObject({ takenOverFrom: 'ada (s-parser)' });
});

test('the end of a session gives back what all its agents held, and nothing else', async () => {
  const app = await openApp({ tasks: [...work, parser, all] });
  await start(app, 'ada', 'T002', 's-parser');
  await start(app, 'bob', 'T003', 's-parser');
  await start(app, 'eve', 'T010', 's-all');
  expect((await start(app, 'zoe', 'T002', 's-all')).error.exitCode).toBe(35);
  expect(await app.call('session.end', {}, { agent: 'ada', session: 's-parser' })).toMatchObject({ released: ['T002', 'T003'] });
  expect(await start(app, 'zoe', 'T002', 's-all')).toMatchObject({ success: true, task: { status: 'active' } });
  expect([await focusOf(app, 'bob'), await focusOf(app, 'eve', 's-all'), await focusOf(app, 'zoe', 's-all')]).toEqual([
    undefined,
    'T010',
    'T002',
  ]);
});

test('a session that is put aside keeps its claims until they lapse', async () => {
  const app = await openApp({ tasks: [...work, parser, all] });
  await start(app, 'ada', 'T002', 's-parser');
  await app.call('session.suspend', {}, { agent: 'ada', session: 's-parser' });
  expect((await start(app, 'bob', 'T002', 's-all')).error.exitCode).toBe(35);
  await app.call('session.resume', { sessionId: 's-parser' }, { agent: 'ada' });
  expect(await focusOf(app, 'ada')).toBe('T002');
  await app.call('session.suspend', {}, { agent: 'ada', session: 's-parser' });
  await lapse(app, 'T002');
  expect(await start(app, 'bob', 'T002', 's-all')).toMatchObject({ takenOverFrom: 'ada (s-parser)' });
});

test('next --claim in a session stays in its scope and passes over what others hold', async () => {
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
