import { describe, expect, test } from 'vitest';
import { openHouse } from '../../test/house.ts';

const logged = async (house: Awaited<ReturnType<typeof openHouse>>): Promise<string[]> =>
  (await house.store.read((reads) => reads.audit.after(0, 100))).map(
    (entry) => `${entry.session} ${entry.domain}.${entry.operation} ${entry.exitCode}`,
  );

test('writes are logged, refused ones too; reads are not', async () => {
  const house = await openHouse();
  await house.call('tasks.add', { title: 'First' });
  await house.call('tasks.add', { title: '' });
  await house.call('tasks.add', { title: 'Maybe', dryRun: true });
  await house.call('tasks.show', { taskId: 'T001' });
  expect(await logged(house)).toEqual(['undefined tasks.add 0', 'undefined tasks.add 6']);
});

test('in grade mode reads are logged too, by the name they were called, with their real exit code', async () => {
  const house = await openHouse({ env: { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-1' } });
  await house.call('tasks.find', { query: 'nothing' });
  await house.call('tasks.show', { taskId: 'T001' });
  await house.call('system.dash');
  await house.call('admin.help');
  await house.call('tasks.add', { title: 'Maybe', dryRun: true });
  expect(await logged(house)).toEqual([
    'session-1 tasks.find 100',
    'session-1 tasks.show 4',
    'session-1 system.dash 0',
    'session-1 admin.help 0',
    'session-1 tasks.add 0',
  ]);
});

describe('a nudge', () => {
  const env = { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-1' };
  const config = { grade: { nudge: true } };

  test('says what a call has just cost, whether it was answered or refused', async () => {
    const { call } = await openHouse({ env, config });
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

  test('looks at the last part of a long session', async () => {
    const { call } = await openHouse({ env, config, tasks: ['T001 epic'] });
    await call('tasks.find', { query: 'x' });
    for (let i = 0; i < 35; i++) await call('admin.version');
    expect((await call('tasks.add', { title: 'First', parent: 'T001' }))._meta.nudge).toBe('-5: tasks.add without a description');
    expect((await call('tasks.add', { title: 'Second', parent: 'T001', description: 'x' }))._meta.nudge).toBeUndefined();
  });

  test('is not given unasked, nor outside of grade mode', async () => {
    const { call } = await openHouse({ env });
    expect((await call('tasks.add', { title: 'First' }))._meta).not.toHaveProperty('nudge');
    const ungraded = await openHouse({ config });
    expect((await ungraded.call('tasks.add', { title: 'First' }))._meta).not.toHaveProperty('nudge');
  });
});
