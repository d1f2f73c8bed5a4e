import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { openApp, type TestApp } from '../../test/app.ts';
import { type App, dispatch } from './dispatch.ts';
import { readLogHead } from './feed/log-head.ts';

/** Opens the same project with the same environment as an observer. */
function createObserver({ env, root }: TestApp): App {
  const app = createApp(createPlatform(env, root, '0.0.0-test'), { isServer: true, isObserver: true });
  onTestFinished(() => app.closeStores());
  return app;
}

const query = (app: App, operation: string, params: object = {}) => dispatch(app, { operation, params, gateway: 'cli' });

const readState = (app: TestApp) =>
  app.store.read(async ({ audit, claims, sessions }) => ({
    log: await audit.listAfter(0, 1000),
    claims: await claims.list(),
    agents: await sessions.listAgents('session-1'),
  }));

test.each([
  ['its session is graded', {}],
  ['its environment is graded', { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-1' }],
  ['its environment names a session', { CLEO_SESSION_ID: 'session-1' }],
] as Array<[string, Record<string, string>]>)('an observer leaves nothing in the log if %s', async (_, env) => {
  const app = await openApp({
    env,
    tasks: ['T001', 'T002 active by tester@session-1', 'session session-1 task:T001 graded by tester'],
  });
  await app.call('tasks.find', { query: 'T001' });
  const before = await readState(app);
  expect(before.log).toHaveLength(1);
  const observer = createObserver(app);
  expect((await query(observer, 'tasks.board')).envelope).toMatchObject({ success: true, columns: expect.any(Array) });
  expect((await query(observer, 'tasks.list')).envelope._meta).not.toHaveProperty('sessionId');
  expect((await query(observer, 'tasks.show', { taskId: 'T900' })).envelope).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
  expect((await query(observer, 'admin.log')).exitCode).toBe(0);
  expect(await readState(app)).toEqual(before);
});

test('an observer ignores a session that does not exist', async () => {
  const app = await openApp({ env: { CLEO_SESSION_ID: 'session-9' } });
  expect((await query(createObserver(app), 'tasks.board')).exitCode).toBe(100);
});

test('an observer cannot write', async () => {
  const app = await openApp();
  await expect(query(createObserver(app), 'tasks.add', { title: 'Sneaked in' })).rejects.toThrow('does not write');
  expect((await readState(app)).log).toEqual([]);
});

test('the log head changes with every write, and only then', async () => {
  const app = await openApp();
  const observer = createObserver(app);
  const first = await readLogHead(observer);
  await app.call('tasks.list');
  expect(await readLogHead(observer)).toEqual(first);
  await app.call('tasks.add', { title: 'First' });
  const second = await readLogHead(observer);
  expect(second.seq).toBe(first.seq + 1);
  expect(second.hash).not.toBe(first.hash);
});
