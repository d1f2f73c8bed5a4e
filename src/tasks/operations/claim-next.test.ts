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

test('an empty claim needs no write lock and adds no entry to the log', async () => {
  const app = await openApp({ tasks: ['T001 done', 'T002 active by ada'], config: { store: { busyTimeoutMs: 100 } } });
  const countEntries = async (): Promise<number> => (await app.call('admin.log', { limit: 100 })).entries.length;
  const before = await countEntries();
  const other = await app.openSecondStore();
  await other.write({ at: '2026-01-01T00:00:00.000Z', by: 'ada' }, async () => {
    expect(await app.call('tasks.claim-next')).toMatchObject({ _meta: { exitCode: 100 }, success: true, recommendation: {}, task: {} });
    expect(await app.call('tasks.add', { title: 'Waits for the lock' })).toMatchObject({ error: { exitCode: 7 } });
  });
  expect(await countEntries()).toBe(before);
  await app.call('tasks.add', { title: 'More work' });
  expect(await app.call('tasks.claim-next')).toMatchObject({ task: { id: 'T003' } });
});

test('an empty claim with an idempotency key is logged, and its answer is repeated', async () => {
  const app = await openApp({ tasks: ['T001 done'] });
  const claim = () => app.call('tasks.claim-next', {}, { idempotencyKey: 'poll-1' });
  expect(await claim()).toMatchObject({ _meta: { exitCode: 100 } });
  await app.call('tasks.add', { title: 'More work' });
  expect(await claim()).toMatchObject({ _meta: { exitCode: 100, replayed: true } });
  expect((await app.call('admin.log', { limit: 100 })).entries.map(({ operation }: { operation: string }) => operation)).toContain(
    'tasks.claim-next',
  );
});
