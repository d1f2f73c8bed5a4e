import { expect, test } from 'vitest';
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
