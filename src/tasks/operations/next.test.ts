import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const listOffered = (seen: Json): string[] => [seen.recommendation, ...seen.alternatives].map((r: { taskId: string }) => r.taskId);

test('recommends the best task, with reasons and alternatives', async () => {
  const { call } = await openApp({
    tasks: [
      'T001 epic',
      'T002 in T001 done',
      'T003 in T001 high small: Write it',
      'T004 in T001 depends T003',
      'T005',
      'T006 critical',
      'T007 low',
    ],
  });
  const next = await call('tasks.next');
  expect(next).toMatchObject({
    _meta: { command: 'tasks.next', resultsField: 'recommendation' },
    recommendation: { taskId: 'T006', score: 400 },
    alternatives: [
      {
        taskId: 'T003',
        title: 'Write it',
        score: 385,
        reasons: [
          { term: 'priority high', points: 300 },
          { term: '1 open task depends on it', points: 25 },
          { term: 'a sibling is active or done', points: 50 },
          { term: 'size small', points: 10 },
        ],
      },
      { taskId: 'T005', score: 200 },
    ],
  });
  expect(next.alternatives).toHaveLength(2);
});

test('counts the recommendation and its alternatives together', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T003', 'T004', 'T005'] });
  expect(listOffered(await call('tasks.next', { count: 1 }))).toEqual(['T001']);
  expect(listOffered(await call('tasks.next', { count: 4 }))).toEqual(['T001', 'T002', 'T003', 'T004']);
  expect(await call('tasks.next', { count: 0 })).toMatchObject({ error: { code: 'E_VALIDATION_COUNT', exitCode: 6 } });
});

test('ignores done dependencies and applies open ones to descendants', async () => {
  const { call } = await openApp({
    tasks: ['T001 done', 'T002 done archived', 'T003 depends T001,T002', 'T004 epic depends T003', 'T005 in T004', 'T006 in T005'],
  });
  expect(listOffered(await call('tasks.next'))).toEqual(['T003']);
});

test('limits to a root, by any of its parameter names', async () => {
  const { call } = await openApp({ tasks: ['T001 saga', 'T002 in T001', 'T003 in T002', 'T004 epic', 'T005 in T004', 'T006 critical'] });
  expect(listOffered(await call('tasks.next', { epic: 'T001' }))).toEqual(['T003']);
  expect(listOffered(await call('orchestrate.next', { epicId: 'T004' }))).toEqual(['T005']);
  expect(listOffered(await call('orchestrate.next', { sagaId: 'SG-T1' }))).toEqual(['T003']);
  expect(await call('tasks.next', { epic: 'T001', epicId: 'T001' })).toMatchObject({ error: { exitCode: 2 } });
});

test('skips a held task until its claim has expired', async () => {
  const { store, call, tamper } = await openApp({ tasks: ['T001'], config: { claims: { ttlMinutes: 60 } } });
  const now = new Date().toISOString();
  await store.write({ at: now, by: 'other' }, ({ claims }) =>
    claims.insert({ taskId: 'T001', agent: 'other', claimedAt: now, focusedAt: now, renewedAt: now }),
  );
  expect(await call('tasks.next')).toMatchObject({ _meta: { exitCode: 100 } });
  await tamper(`update claims set renewed_at = '${new Date(Date.now() - 61 * 60_000).toISOString()}'`);
  expect(listOffered(await call('tasks.next'))).toEqual(['T001']);
});

test('hands out the task of an agent that stopped, and names that agent', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 active by ada@session-1: Half done', 'T003 active: Left by nobody'] });
  const offered = async (): Promise<Json> => {
    const { recommendation, alternatives } = await app.call('tasks.next');
    return [recommendation, ...alternatives].map(({ taskId, reasons }) => [taskId, reasons.map((reason: Json) => reason.term)]);
  };
  expect(await offered()).toEqual([
    ['T001', ['priority medium']],
    ['T003', ['priority medium']],
  ]);
  await app.tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'");
  expect(await offered()).toEqual([
    ['T001', ['priority medium']],
    ['T002', ['priority medium', 'taken over from ada (session-1)']],
    ['T003', ['priority medium']],
  ]);
  expect((await app.call('admin.dash')).summary.ready).toBe(3);
});

test('returns exit 100 if there is nothing to do', async () => {
  const { reply } = await openApp({ tasks: ['T001 epic', 'T002 done'] });
  expect(await reply('tasks.next')).toMatchObject({ exitCode: 100, envelope: { success: true, recommendation: {}, alternatives: [] } });
});

test('rejects a missing root', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.next', { epic: 'T009' })).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4 } });
});
