import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { estimateTokens } from '#lib/tokens.ts';
import { openApp } from '../../../test/app.ts';

const off = { lifecycleEnforcement: { mode: 'off' } };
const ids = (records: { taskId: string }[]): string[] => records.map(({ taskId }) => taskId);

test('spawns every ready task, most urgent first', async () => {
  const { call } = await openApp({
    tasks: [
      'T001 epic',
      'T002 in T001',
      'T003 in T001 high',
      'T004 in T001 depends T002',
      'T005 in T001 active by ada',
      'T006 in T001 done',
      'T007 epic',
      'T008 in T007',
    ],
    config: off,
  });
  const answer = await call('orchestrate.spawn-batch', { epicId: 'T001' });
  expect(ids(answer.spawns)).toEqual(['T003', 'T002']);
  expect(answer.data).toEqual({ created: ['T003-worker-1', 'T002-worker-1'] });
  expect(answer).not.toHaveProperty('left');
});

test('spawns the tasks of all epics of a saga', async () => {
  const { call } = await openApp({ tasks: ['T001 saga', 'T002 in T001', 'T003 in T002', 'T004 in T001', 'T005 in T004'], config: off });
  expect(ids((await call('orchestrate.spawn-batch', { sagaId: 'T001' })).spawns)).toEqual(['T003', 'T005']);
});

test('spawns the first of the tasks that share a file and reports the others', async () => {
  const { call } = await openApp({
    tasks: [
      'T001 epic',
      'T002 in T001 files a.ts,b.ts',
      'T003 in T001 files ./b.ts',
      'T004 in T001 files c.ts',
      'T005 in T001 files d.ts active by ada',
      'T006 in T001 files d.ts',
    ],
    config: off,
  });
  const answer = await call('orchestrate.spawn-batch', { epicId: 'T001' });
  expect(ids(answer.spawns)).toEqual(['T002', 'T004']);
  expect(answer.conflicts).toEqual([
    { file: 'b.ts', tasks: ['T002', 'T003'] },
    { file: 'd.ts', tasks: ['T005', 'T006'] },
  ]);
  expect(answer.left).toMatchObject([
    { taskId: 'T003', findings: [{ code: 'FILES_OVERLAP' }] },
    { taskId: 'T006', findings: [{ code: 'FILES_OVERLAP' }] },
  ]);
});

test('skips a spawned task until it was started and released', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' };
  const { call, as } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001'], config: off, clock });
  await call('orchestrate.spawn-batch', { epicId: 'T001' });
  expect(await call('orchestrate.spawn-batch', { epicId: 'T001' })).toMatchObject({
    _meta: { exitCode: 100 },
    spawns: [],
    left: [{ taskId: 'T002', findings: [{ code: 'SPAWNED' }] }, { taskId: 'T003' }],
  });
  clock.now = '2026-03-01T10:00:01.000Z';
  await as('T002-worker-1').call('tasks.start', { taskId: 'T002' });
  await as('T002-worker-1').call('tasks.stop');
  expect(ids((await call('orchestrate.spawn-batch', { epicId: 'T001' })).spawns)).toEqual(['T002']);
});

test('spawns every task once with several orchestrators at the same time', async () => {
  const { as } = await openApp({ tasks: ['T001 epic', ...Array.from({ length: 6 }, (_, i) => `T00${i + 2} in T001`)], config: off });
  const answers = await Promise.all(['ada', 'bob', 'eve'].map((agent) => as(agent).call('orchestrate.spawn-batch', { epicId: 'T001' })));
  const spawned = answers.flatMap(({ spawns }) => ids(spawns));
  expect(spawned.sort()).toEqual(['T002', 'T003', 'T004', 'T005', 'T006', 'T007']);
});

test('skips a task with findings and spawns the others', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001 files a,b,c,d', 'T003 in T001'], config: off });
  expect(await call('orchestrate.spawn-batch', { epicId: 'T001' })).toMatchObject({
    spawns: [{ taskId: 'T003' }],
    left: [{ taskId: 'T002', findings: [{ code: 'ORC-006' }] }],
  });
});

test('fails with the first error when no task can be spawned', async () => {
  const { call, cli } = await openApp({ tasks: ['T001 epic', 'T002 in T001: Build it', 'T003 in T001: Build more'] });
  const refused = await call('orchestrate.spawn-batch', { epicId: 'T001' });
  expect(refused).toMatchObject({ error: { exitCode: 80 } });
  await cli(refused.error.fix);
  expect(ids((await call('orchestrate.spawn-batch', { epicId: 'T001' })).spawns)).toEqual(['T002', 'T003']);
});

test('exits with 100 when nothing is ready', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001 done'], config: off });
  expect(await call('orchestrate.spawn-batch', { epicId: 'T001' })).toMatchObject({ _meta: { exitCode: 100 }, spawns: [] });
  expect(await call('orchestrate.spawn-batch', { epicId: 'T009' })).toMatchObject({ error: { exitCode: 4 } });
});

test('writes prompts beyond the budget to files', async () => {
  const { call, root } = await openApp({
    tasks: ['session session-1 epic:T001', 'T001 epic', 'T002 in T001', 'T003 in T001', 'T004 in T001'],
    config: off,
  });
  const { spawns, _meta } = await call('orchestrate.spawn-batch', { epicId: 'T001', budget: 6000, inline: true });
  expect(spawns.map((spawn: { promptFile?: string }) => Boolean(spawn.promptFile))).toEqual([false, true, true]);
  expect(existsSync(join(root, spawns[1].promptFile))).toBe(true);
  expect((_meta.warnings ?? []).join()).not.toContain('ORC-005');
  const used = spawns.reduce((sum: number, { prompt }: { prompt: string }) => sum + estimateTokens(prompt), 0);
  expect((await call('system.context')).context.budget).toEqual({ max: 6000, used, left: 6000 - used });
});

test('spawns nothing in a dry run', async () => {
  const { call, root } = await openApp({ tasks: ['T001 epic', 'T002 in T001'], config: off });
  expect(await call('orchestrate.spawn-batch', { epicId: 'T001', dryRun: true })).toMatchObject({
    spawns: [{ taskId: 'T002' }],
    data: { wouldCreate: 1 },
  });
  expect(existsSync(join(root, '.cleo/research'))).toBe(false);
  expect(ids((await call('orchestrate.spawn-batch', { epicId: 'T001' })).spawns)).toEqual(['T002']);
});
