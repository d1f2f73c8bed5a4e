import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('a task that exists is confirmed, however its id is written', async () => {
  const { reply } = await openApp({ tasks: ['T001'] });
  for (const taskId of ['T001', 't1', '1', 'E-T001'])
    expect(await reply('tasks.exists', { taskId })).toMatchObject({ exitCode: 0, envelope: { success: true, exists: true } });
});

test('an archived task still exists', async () => {
  const { call } = await openApp({ tasks: ['T001 done archived'] });
  expect(await call('tasks.exists', { taskId: 'T001' })).toMatchObject({ exists: true });
});

test('a task that does not exist is an answer, not an error', async () => {
  const { reply } = await openApp();
  expect(await reply('tasks.exists', { taskId: 'T009' })).toMatchObject({
    exitCode: 100,
    envelope: { success: true, exists: false, _meta: { exitCode: 100, resultsField: 'exists' } },
  });
});

test('what is not an id is refused', async () => {
  const { call } = await openApp();
  expect(await call('tasks.exists', { taskId: 'the parser' })).toMatchObject({ error: { code: 'E_INVALID_INPUT', exitCode: 2 } });
});
