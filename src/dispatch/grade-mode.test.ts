import { describe, expect, test } from 'vitest';
import { openApp } from '../../test/app.ts';

const logged = async (app: Awaited<ReturnType<typeof openApp>>): Promise<string[]> =>
  (await app.store.read((reads) => reads.audit.listAfter(0, 100))).map(
    (entry) => `${entry.session} ${entry.domain}.${entry.operation} ${entry.exitCode}`,
  );

test('logs writes, also failed ones, but not reads', async () => {
  const app = await openApp();
  await app.call('tasks.add', { title: 'First' });
  await app.call('tasks.add', { title: '' });
  await app.call('tasks.add', { title: 'Maybe', dryRun: true });
  await app.call('tasks.show', { taskId: 'T001' });
  expect(await logged(app)).toEqual(['undefined tasks.add 0', 'undefined tasks.add 6']);
});

test('logs reads in grade mode, by the called name and with their exit code', async () => {
  const app = await openApp({ env: { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-1' } });
  await app.call('tasks.find', { query: 'nothing' });
  await app.call('tasks.show', { taskId: 'T001' });
  await app.call('system.dash');
  await app.call('admin.help');
  await app.call('tasks.add', { title: 'Maybe', dryRun: true });
  expect(await logged(app)).toEqual([
    'session-1 tasks.find 100',
    'session-1 tasks.show 4',
    'session-1 system.dash 0',
    'session-1 admin.help 0',
    'session-1 tasks.add 0',
  ]);
});

test('logs reads of a graded session only while it is active', async () => {
  const app = await openApp({ tasks: ['T001', 'session session-1 task:T001 graded by tester'] });
  const inSession = { session: 'session-1' };
  await app.call('session.list', {}, inSession);
  await app.call('session.end', { note: 'Done' }, inSession);
  await app.call('session.list', {}, inSession);
  await app.call('tasks.list', {}, inSession);
  expect(await logged(app)).toEqual(['session-1 session.list 0', 'session-1 session.end 0']);
});

describe('a nudge', () => {
  const env = { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-1' };
  const config = { grade: { nudge: true } };

  test('reports the points that a call has lost, also if it failed', async () => {
    const { call } = await openApp({ env, config });
    const nudges = [
      await call('session.list'),
      await call('tasks.find', { query: 'x' }),
      await call('tasks.add', { title: 'First' }),
      await call('tasks.add', { title: 'Second', description: 'With words' }),
      await call('tasks.show', { taskId: 'T900' }),
      await call('tasks.exists', { taskId: 'T900' }),
    ].map(({ _meta }) => _meta.nudge);
    expect(nudges).toEqual([
      undefined,
      undefined,
      '-5: tasks.add without a description',
      undefined,
      '-5 unless tasks.find or tasks.exists is among the next 4 calls',
      undefined,
    ]);
  });

  test('considers the last entries of a long session', async () => {
    const { call } = await openApp({ env, config, tasks: ['T001 epic'] });
    await call('tasks.find', { query: 'x' });
    for (let i = 0; i < 35; i++) await call('admin.version');
    expect((await call('tasks.add', { title: 'First', parent: 'T001' }))._meta.nudge).toBe('-5: tasks.add without a description');
    expect((await call('tasks.add', { title: 'Second', parent: 'T001', description: 'x' }))._meta.nudge).toBeUndefined();
  });

  test('is omitted by default and outside of grade mode', async () => {
    const { call } = await openApp({ env });
    expect((await call('tasks.add', { title: 'First' }))._meta).not.toHaveProperty('nudge');
    const ungraded = await openApp({ config });
    expect((await ungraded.call('tasks.add', { title: 'First' }))._meta).not.toHaveProperty('nudge');
  });
});
