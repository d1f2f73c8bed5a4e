import { expect, test } from 'vitest';
import { openApp } from '../../../../test/app.ts';

const one = ['T001 epic: Parser', 'T009 epic: Other', 'session session-1 epic:T001 by ada: Parse'];

test.each([
  [10, 0, 'ok'],
  [70, 50, 'warning'],
  [85, 51, 'caution'],
  [90, 52, 'critical'],
  [95, 53, 'emergency'],
])('context check at %i %% exits with %i', async (used, exit, state) => {
  const { call, reply } = await openApp({ tasks: one });
  await call('system.context.report', { used, max: 100 });
  const checked = await reply('system.context.check');
  expect(checked).toMatchObject({ exitCode: exit, envelope: { success: true, context: { state, percent: used } } });
  expect(await reply('system.context')).toMatchObject({ exitCode: 0, envelope: { context: { state } } });
  const [warning] = checked.envelope._meta.warnings ?? [];
  if (exit >= 52) expect(warning).toMatch(/: cleo safestop --reason 'Context is full'$/);
  else expect(warning).toBeUndefined();
});

test('context check exits with 54 after five minutes, or without any report', async () => {
  const clock = { now: '2026-01-02T00:00:00.000Z' };
  const { call, reply } = await openApp({ tasks: one, clock });
  expect((await reply('system.context.check')).exitCode).toBe(54);
  await call('system.context.report', { used: 10, max: 100 });
  clock.now = '2026-01-02T00:06:00.000Z';
  expect(await reply('system.context.check')).toMatchObject({ exitCode: 54, envelope: { context: { state: 'stale', percent: 10 } } });
});

test('context usage is stored per session and agent, and a status line reports for its session', async () => {
  const { call, as, cli } = await openApp({ tasks: [...one, 'session session-2 epic:T009 by bob'] });
  await as('ada').call('system.context.report', { used: 90, max: 100 });
  expect(await as('bob').call('system.context')).toMatchObject({ context: { state: 'stale' } });
  expect(await call('system.context', {}, { session: 'session-1' })).toMatchObject({ context: { percent: 90 } });
  const { envelope } = await cli('cleo context statusline --session session-2 --json --input /dev/null');
  expect(envelope.error?.exitCode).toBe(2);
  const line = await call(
    'system.context.statusline',
    { input: { context_window: { context_window_size: 1000, used_percentage: 42 } } },
    { session: 'session-2' },
  );
  expect(line).toMatchObject({ line: 'no focus | epic:T009 | context 42%', context: { percent: 42 } });
});

test('session show has the context windows of its agents, the newest report first', async () => {
  const clock = { now: '2026-01-02T00:00:00.000Z' };
  const { call, as, cli } = await openApp({ tasks: one, clock });
  expect((await call('session.show', { sessionId: 'session-1' })).session).not.toHaveProperty('context');
  await as('ada').call('system.context.report', { used: 90, max: 100 });
  clock.now = '2026-01-02T00:06:00.000Z';
  await as('ben').call('system.context.report', { used: 100, max: 200 }, { session: 'session-1' });
  expect((await call('session.show', { sessionId: 'session-1' })).session.context).toEqual([
    { agent: 'ben', state: 'ok', percent: 50, used: 100, max: 200, reportedAt: '2026-01-02T00:06:00.000Z' },
    { agent: 'ada', state: 'stale', percent: 90, used: 90, max: 100, reportedAt: '2026-01-02T00:00:00.000Z' },
  ]);
  expect((await cli('cleo session show session-1 --human')).out).toMatch(/context +ben, 50 %, ok\n +ada, 90 %, stale/);
});
