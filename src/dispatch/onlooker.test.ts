import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { openApp, type TestApp } from '../../test/app.ts';
import { type App, dispatch } from './dispatch.ts';
import { readLogHead } from './log-head.ts';

/** The same project with the same surroundings, seen by somebody who only watches. */
function onlooker({ env, root }: TestApp): App {
  const app = createApp(createPlatform(env, root, '0.0.0-test'), { isServer: true, isObserver: true });
  onTestFinished(() => app.closeStores());
  return app;
}

const look = (app: App, operation: string, params: object = {}) => dispatch(app, { operation, params, gateway: 'cli' });

const stateOf = (app: TestApp) =>
  app.store.read(async ({ audit, claims, sessions }) => ({
    log: await audit.listAfter(0, 1000),
    claims: await claims.list(),
    agents: await sessions.listAgents('session-1'),
  }));

test.each([
  ['its session is graded', {}],
  ['its surroundings are', { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-1' }],
  ['they name its session', { CLEO_SESSION_ID: 'session-1' }],
] as Array<[string, Record<string, string>]>)('who looks on leaves nothing in the log where %s', async (_, env) => {
  const app = await openApp({
    env,
    tasks: ['T001', 'T002 active by tester@session-1', 'session session-1 task:T001 graded by tester'],
  });
  await app.call('tasks.find', { query: 'T001' });
  const before = await stateOf(app);
  expect(before.log).toHaveLength(1);
  const watching = onlooker(app);
  expect((await look(watching, 'tasks.board')).envelope).toMatchObject({ success: true, columns: expect.any(Array) });
  expect((await look(watching, 'tasks.list')).envelope._meta).not.toHaveProperty('sessionId');
  expect((await look(watching, 'tasks.show', { taskId: 'T900' })).envelope).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
  expect((await look(watching, 'admin.log')).exitCode).toBe(0);
  expect(await stateOf(app)).toEqual(before);
});

test('a session that is not there is no reason not to look', async () => {
  const app = await openApp({ env: { CLEO_SESSION_ID: 'session-9' } });
  expect((await look(onlooker(app), 'tasks.board')).exitCode).toBe(100);
});

test('who looks on cannot write', async () => {
  const app = await openApp();
  await expect(look(onlooker(app), 'tasks.add', { title: 'Sneaked in' })).rejects.toThrow('does not write');
  expect((await stateOf(app)).log).toEqual([]);
});

test('the pulse moves with every write, and only then', async () => {
  const app = await openApp();
  const watching = onlooker(app);
  const first = await readLogHead(watching);
  await app.call('tasks.list');
  expect(await readLogHead(watching)).toEqual(first);
  await app.call('tasks.add', { title: 'First' });
  const second = await readLogHead(watching);
  expect(second.seq).toBe(first.seq + 1);
  expect(second.hash).not.toBe(first.hash);
});
