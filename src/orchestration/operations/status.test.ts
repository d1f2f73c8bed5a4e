import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const world = [
  'T001 epic: Parser',
  'T002 in T001 active by ada@session-1: Grammar',
  'T003 in T001 depends T002: Tables',
  'T004 in T001 active by ben@session-1: Trees',
  'T005 in T001 done',
  'T006 in T001 blocked',
  'T007 in T001',
  'T010 epic',
  'T011 in T010 active by eve: Words',
  'session session-1 epic:T001 by lead: Parser',
];

test('lists the agents at work inside an epic and the remaining work', async () => {
  const { call } = await openApp({ tasks: world });
  const { _meta: meta, success: _, ...found } = await call('orchestrate.status', { epicId: 'T001' });
  expect(meta.resultsField).toBe('running');
  const times = { since: '2026-01-01T00:00:00.000Z', until: expect.stringMatching(/^20\d\d-/) };
  expect(found).toEqual({
    running: [
      { taskId: 'T002', title: 'Grammar', agent: 'ada', session: 'session-1', ...times },
      { taskId: 'T004', title: 'Trees', agent: 'ben', session: 'session-1', ...times },
    ],
    root: { id: 'T001', title: 'Parser', status: 'pending', type: 'epic' },
    progress: { done: 1, total: 6, percent: 16 },
    wavesLeft: 2,
    ready: 1,
    waiting: 1,
    blocked: 1,
  });
});

test('everywhere, where no root is given and no session has one', async () => {
  const { call } = await openApp({ tasks: world.slice(0, -1) });
  const found = await call('orchestrate.status');
  expect(found.running.map(({ agent }: Json) => agent)).toEqual(['ada', 'ben', 'eve']);
  expect(found).toMatchObject({ wavesLeft: 2, progress: { done: 1, total: 7 } });
});

test('marks an expired claim and counts its task as ready', async () => {
  const { call, tamper } = await openApp({ tasks: world });
  await tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z' where agent_id = 'ada'");
  const found = await call('orchestrate.status', { epic: 'T001' });
  expect(found.running.map(({ agent, lapsed }: Json) => [agent, lapsed])).toEqual([
    ['ben', undefined],
    ['ada', true],
  ]);
  expect(found.ready).toBe(2);
});

test('ignores a claim on an ancestor of the root', async () => {
  const { call } = await openApp({ tasks: ['T001 saga active by eve', 'T002 in T001 active by ada', 'T003 in T002'] });
  const { running } = await call('orchestrate.status', { epic: 'T002' });
  expect(running.map(({ agent }: Json) => agent)).toEqual(['ada']);
});

test('returns 0 when no agent is at work and tasks are left', async () => {
  const { reply } = await openApp({ tasks: ['T001 epic', 'T002 in T001'] });
  expect(await reply('orchestrate.status', { epic: 'T001' })).toMatchObject({ exitCode: 0, envelope: { running: [], wavesLeft: 1 } });
});

test('cancelled tasks do not count, and archived ones count as done', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T003 done archived', 'T004 done'] });
  await call('tasks.cancel', { taskId: 'T002', reason: 'not needed' });
  const { progress } = await call('orchestrate.status');
  expect(progress).toEqual({ done: 2, total: 3, percent: 66 });
  expect((await call('orchestrate.analyze')).progress).toEqual(progress);
});
