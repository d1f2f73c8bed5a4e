import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import type { Call } from '../../dispatch/dispatch.ts';

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

test('hands out the best task when others hold many and the best one has changed', async () => {
  const { as, call } = await openApp({ tasks: Array.from({ length: 30 }, (_, i) => `T0${String(i + 1).padStart(2, '0')}`) });
  const claim = async (agent: number): Promise<string> => (await as(`agent-${agent}`).call('tasks.claim-next')).task.id;
  const given: string[] = [];
  for (let i = 1; i <= 20; i++) given.push(await claim(i));
  expect(given).toEqual(Array.from({ length: 20 }, (_, i) => `T0${String(i + 1).padStart(2, '0')}`));
  await call('tasks.update', { taskId: 'T028', priority: 'critical' });
  await call('tasks.cancel', { taskId: 'T021', reason: 'not needed' });
  expect([await claim(21), await claim(22), await claim(23)]).toEqual(['T028', 'T022', 'T023']);
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

/** Calls `claim-next` with `wait`, and returns when it has found nothing and waits. */
async function startWaiting({ as }: TestApp, agent: string, params: object = {}, more: Partial<Call> = {}) {
  let answer: Json | undefined;
  const answered = as(agent)
    .call('tasks.claim-next', { wait: true, ...params }, more)
    .then((envelope) => {
      answer = envelope;
      return envelope;
    });
  await sleep(300);
  return { answered, getAnswer: () => answer };
}

test('waits until a task is added, and claims it', async () => {
  const app = await openApp({ tasks: ['T001 done'] });
  const { answered, getAnswer } = await startWaiting(app, 'ada');
  expect(getAnswer()).toBeUndefined();
  const addedAt = performance.now();
  await app.call('tasks.add', { title: 'More work' });
  expect(await answered).toMatchObject({ success: true, task: { id: 'T002' }, _meta: { command: 'tasks.claim-next' } });
  expect(performance.now() - addedAt).toBeLessThan(1000);
  expect(await app.as('ada').call('tasks.current')).toMatchObject({ task: { id: 'T002' } });
});

test('waits for a dependency, in the scope that was asked for', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 active by ada', 'T003 in T001 depends T002', 'T004 epic'] });
  const { answered, getAnswer } = await startWaiting(app, 'eve', { epic: 'T001' });
  await app.call('tasks.add', { title: 'Elsewhere', parent: 'T004' });
  await sleep(400);
  expect(getAnswer()).toBeUndefined();
  await app.as('ada').call('tasks.complete', { taskId: 'T002' });
  expect(await answered).toMatchObject({ task: { id: 'T003' } });
});

test('ends without a task when the time is over, and logs nothing', async () => {
  const app = await openApp({ tasks: ['T001 done'] });
  const before = (await app.call('admin.log', { limit: 100 })).entries.length;
  const startedAt = performance.now();
  expect(await app.call('tasks.claim-next', { timeout: 1 })).toMatchObject({
    success: true,
    recommendation: {},
    task: {},
    _meta: { exitCode: 100 },
  });
  expect(performance.now() - startedAt).toBeGreaterThan(900);
  expect((await app.call('admin.log', { limit: 100 })).entries).toHaveLength(before);
});

test('a caller that stops waiting claims nothing', async () => {
  const app = await openApp({ tasks: ['T001 done'] });
  const controller = new AbortController();
  const { answered } = await startWaiting(app, 'ada', {}, { signal: controller.signal });
  controller.abort();
  await answered;
  await app.call('tasks.add', { title: 'More work' });
  await sleep(400);
  expect(await app.call('tasks.next')).toMatchObject({ recommendation: { taskId: 'T002' } });
});

test('a wait with an idempotency key is logged once, with its task', async () => {
  const app = await openApp({ tasks: ['T001 done'] });
  const { answered } = await startWaiting(app, 'ada', {}, { idempotencyKey: 'wait-1' });
  await app.call('tasks.add', { title: 'More work' });
  expect(await answered).toMatchObject({ task: { id: 'T002' } });
  expect(await app.as('ada').call('tasks.claim-next', { wait: true }, { idempotencyKey: 'wait-1' })).toMatchObject({
    task: { id: 'T002' },
    _meta: { replayed: true },
  });
  const { entries } = await app.call('admin.log', { limit: 100 });
  expect(entries.filter(({ operation }: Json) => operation === 'tasks.claim-next')).toHaveLength(1);
});
