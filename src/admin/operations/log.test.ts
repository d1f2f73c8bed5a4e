import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

test('lists calls newest first with their parameters and changed ids', async () => {
  const app = await openApp({ clock: { now: '2026-02-03T04:05:06.789Z' } });
  await app.call('tasks.add', { title: 'First', labels: ['x'] });
  await app.call('tasks.update', { taskId: 'T001', title: 'Renamed' });
  const { entries, _meta } = await app.call('admin.log');
  expect(_meta).not.toHaveProperty('truncated');
  expect(entries).toEqual([
    {
      seq: 2,
      timestamp: '2026-02-03T04:05:06.789Z',
      operation: 'tasks.update',
      agent: 'tester',
      gateway: 'cli',
      success: true,
      params: { taskId: 'T001', title: 'Renamed' },
      updated: ['T001'],
      durationMs: expect.any(Number),
      principal: { kind: 'agent', via: 'shell', process: 'test/tester' },
    },
    expect.objectContaining({ seq: 1, operation: 'tasks.add', params: { title: 'First', labels: ['x'] }, created: ['T001'] }),
  ]);
});

test('logs errors with their code, without secrets', async () => {
  const { call } = await openApp();
  await call('tasks.add', { title: 'x', parent: 'T009', description: 'token=ghp_0123456789abcdefghijABCDEFGHIJ012345' });
  const { entries } = await call('admin.log', { failed: true });
  expect(entries).toMatchObject([{ success: false, exitCode: 10, errorCode: 'E_PARENT_NOT_FOUND', params: { parent: 'T009' } }]);
  expect(JSON.stringify(entries)).not.toContain('ghp_');
});

test('filters by session, agent, operation, task and failure', async () => {
  const app = await openApp({ tasks: ['T001', 'T002', 'session session-1 task:T001 by world'] });
  await app.call('tasks.update', { taskId: 'T001', priority: 'high' }, { session: 'session-1' });
  await app.tamper("update sessions set status = 'suspended'");
  await app.as('ada').call('tasks.start', { taskId: 'T002' });
  await app.call('tasks.add', { title: 'x', parent: 'T099' });
  const seqs = async (filter: object): Promise<number[]> =>
    (await app.call('admin.log', { ...filter })).entries.map(({ seq }: { seq: number }) => seq);
  expect(await seqs({ session: 'session-1' })).toEqual([1]);
  expect(await seqs({ agent: 'ada' })).toEqual([2]);
  expect(await seqs({ operation: 'tasks.start' })).toEqual([2]);
  expect(await seqs({ operation: 'focus set' })).toEqual([2]);
  expect(await seqs({ task: '1' })).toEqual([1]);
  expect(await seqs({ task: 'T002', agent: 'ada' })).toEqual([2]);
  expect(await seqs({ failed: true })).toEqual([3]);
  expect((await app.cli('cleo log --agent ada --session none')).exitCode).toBe(100);
  expect((await app.cli('cleo log --agent ada')).envelope.entries).toHaveLength(1);
});

test('finds the calls of an operation under all of its names', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  await app.call('tasks.done', { taskId: 'T001' });
  await app.call('tasks.complete', { taskId: 'T002' });
  const find = async (operation: string): Promise<string[]> =>
    (await app.call('admin.log', { operation })).entries.map((entry: { operation: string }) => entry.operation);
  for (const name of ['tasks.complete', 'tasks.done', 'complete']) expect(await find(name)).toEqual(['tasks.complete', 'tasks.done']);
});

test('pages a long log', async () => {
  const { call } = await openApp();
  for (let i = 0; i < 4; i++) await call('tasks.add', { title: `Task ${i}` });
  expect(await call('admin.log', { limit: 2, offset: 1 })).toMatchObject({
    entries: [{ seq: 3 }, { seq: 2 }],
    _meta: { truncated: { shown: 2, total: 4 } },
  });
});

test('reads a log that was tampered with', async () => {
  const app = await openApp();
  await app.call('tasks.add', { title: 'First' });
  await app.tamper("update audit_log set created_ids = 'torn', params = '{torn'");
  expect((await app.call('admin.log')).entries).toMatchObject([{ operation: 'tasks.add', params: '{torn' }]);
});

test('lists entries after another one, oldest first', async () => {
  const { call } = await openApp();
  for (const title of ['First', 'Second', 'Third']) await call('tasks.add', { title });
  const seqs = async (params: object): Promise<number[]> => (await call('admin.log', { ...params })).entries.map(({ seq }: Json) => seq);
  expect(await seqs({ after: 0 })).toEqual([1, 2, 3]);
  expect(await seqs({ after: 1, limit: 1 })).toEqual([2]);
  expect(await seqs({ after: 3 })).toEqual([]);
});

test('pages back from an entry, and filters by time', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' };
  const { call } = await openApp({ clock });
  for (const hour of [10, 11, 12, 13]) {
    clock.now = `2026-03-01T${hour}:00:00.000Z`;
    await call('tasks.add', { title: `At ${hour}` });
  }
  const list = async (params: Record<string, unknown>): Promise<number[]> =>
    (await call('admin.log', { operation: 'tasks.add', ...params })).entries.map(({ seq }: { seq: number }) => seq);
  const [last, third, second, first] = await list({});
  expect(await list({ before: third })).toEqual([second, first]);
  expect(await list({ since: '2026-03-01T12:00:00Z' })).toEqual([last, third]);
  expect(await list({ since: '90m' })).toEqual([last, third]);
  expect(await list({ until: '2026-03-01T10:30:00Z' })).toEqual([first]);
  expect((await call('admin.log', { limit: 1 })).entries[0]).toHaveProperty('params');
  expect((await call('admin.log', { limit: 1, brief: true })).entries[0]).not.toHaveProperty('params');
});
