import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('analyze, waves, ready and spawn-batch report the same file conflicts', async () => {
  const { call } = await openApp({
    tasks: ['T001 epic', 'T002 in T001 files ./src/a.ts', 'T003 in T001 files src/a.ts', 'T004 in T001 files src//b/../a.ts'],
    config: { lifecycleEnforcement: { mode: 'off' } },
  });
  const conflict = { file: 'src/a.ts', tasks: ['T002', 'T003', 'T004'] };
  expect((await call('orchestrate.analyze', { epic: 'T001' })).conflicts).toEqual([{ wave: 1, ...conflict }]);
  expect((await call('orchestrate.waves', { epic: 'T001' })).conflicts).toEqual([{ wave: 1, ...conflict }]);
  expect((await call('orchestrate.ready', { epic: 'T001' })).conflicts).toEqual([conflict]);
  expect((await call('orchestrate.spawn-batch', { epic: 'T001', dryRun: true })).conflicts).toEqual([conflict]);
});

test('spawn warns about a file of a task that another agent works on', async () => {
  const { call, as } = await openApp({
    tasks: ['T001 epic', 'T002 in T001 files src/', 'T003 epic', 'T004 in T003 files ./src/a.ts', 'T005 in T003 files b.ts'],
    config: { lifecycleEnforcement: { mode: 'off' } },
  });
  const warn = async (taskId: string) => ((await call('orchestrate.spawn', { taskId }))._meta.warnings ?? []).join('\n');
  expect(await warn('T004')).not.toContain('src/a.ts');
  await as('ada').call('tasks.start', { taskId: 'T002' });
  expect(await warn('T004')).toContain('T004 touches src/a.ts, and so does T002, which ada works on; start the agent after T002 is done');
  expect(await warn('T005')).not.toContain('touches');
  expect((await call('orchestrate.spawn-batch', { epic: 'T003' })).left).toMatchObject([{ taskId: 'T004' }, { taskId: 'T005' }]);
});
