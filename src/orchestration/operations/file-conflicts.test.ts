import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('analyze and spawn-batch report the same file conflicts', async () => {
  const { call } = await openApp({
    tasks: ['T001 epic', 'T002 in T001 files ./src/a.ts', 'T003 in T001 files src/a.ts', 'T004 in T001 files src//b/../a.ts'],
    config: { lifecycleEnforcement: { mode: 'off' } },
  });
  const conflict = { file: 'src/a.ts', tasks: ['T002', 'T003', 'T004'] };
  expect((await call('orchestrate.analyze', { epic: 'T001' })).conflicts).toEqual([{ wave: 1, ...conflict }]);
  expect((await call('orchestrate.spawn-batch', { epic: 'T001', dryRun: true })).conflicts).toEqual([conflict]);
});
