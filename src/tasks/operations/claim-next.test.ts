import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('claims the recommended task', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002 high', 'T003 depends T002'] });
  expect(await call('tasks.claim-next')).toMatchObject({
    recommendation: { taskId: 'T002' },
    task: { id: 'T002', status: 'active' },
    data: { updated: ['T002'] },
  });
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T002' } });
  expect(await call('tasks.claim-next')).toMatchObject({ task: { id: 'T001' }, released: 'T002' });
});

test('hands out every task once to concurrent agents', async () => {
  const { as } = await openApp({ tasks: Array.from({ length: 12 }, (_, i) => `T0${String(i + 1).padStart(2, '0')}`) });
  const answers = await Promise.all(Array.from({ length: 15 }, (_, i) => as(`agent-${i}`).call('tasks.claim-next')));
  const given = answers.flatMap((answer) => answer.task.id ?? []);
  expect(new Set(given).size).toBe(12);
  expect(given).toHaveLength(12);
  expect(answers.filter((answer) => answer._meta.exitCode === 100)).toHaveLength(3);
});

test('rejects a missing root', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.claim-next', { epicId: 'T077' })).toMatchObject({ error: { exitCode: 4 } });
});

test('claims a task with a file of another agent last and warns', async () => {
  const { call, as } = await openApp({
    tasks: ['T001 files ./src/a.ts active by ada', 'T002 critical files src/a.ts', 'T003 low files src/b.ts'],
  });
  const conflict = 'src/a.ts is changed by T001, held by ada';
  expect((await call('tasks.next')).recommendation.taskId).toBe('T003');
  expect((await call('tasks.next')).alternatives[0]).toMatchObject({
    taskId: 'T002',
    score: -600,
    reasons: [{ term: 'priority critical' }, { term: conflict, points: -1000 }],
  });
  expect((await call('tasks.claim-next')).task.id).toBe('T003');
  const last = await as('eve').call('tasks.claim-next');
  expect(last).toMatchObject({ task: { id: 'T002' }, _meta: { warnings: [`T002 is claimed although ${conflict}`] } });
  expect((await as('ada').call('tasks.next', {}))._meta.exitCode).toBe(100);
});
