import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('accepts any spelling of an id', async () => {
  const { reply } = await openApp({ tasks: ['T001'] });
  for (const taskId of ['T001', 't1', '1', 'E-T001'])
    expect(await reply('tasks.exists', { taskId })).toMatchObject({ exitCode: 0, envelope: { success: true, exists: true } });
});

test('finds an archived task', async () => {
  const { call } = await openApp({ tasks: ['T001 done archived'] });
  expect(await call('tasks.exists', { taskId: 'T001' })).toMatchObject({ exists: true });
});

test('returns false with exit 100 for a missing task', async () => {
  const { reply } = await openApp();
  expect(await reply('tasks.exists', { taskId: 'T009' })).toMatchObject({
    exitCode: 100,
    envelope: { success: true, exists: false, _meta: { exitCode: 100, resultsField: 'exists' } },
  });
});

test('rejects an invalid id', async () => {
  const { call } = await openApp();
  expect(await call('tasks.exists', { taskId: 'the parser' })).toMatchObject({ error: { code: 'E_INVALID_INPUT', exitCode: 2 } });
});
