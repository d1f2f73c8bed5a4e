import { expect, test } from 'vitest';
import { openApp } from '../../test/app.ts';

const clock = { now: '2026-01-01T00:00:00.000Z' };
const meta = (command: string, more: object = {}) => ({ command, timestamp: clock.now, version: '0.0.0-test', ...more });

test('the fields of an answer have a fixed order, and empty ones are left out', async () => {
  const { call } = await openApp({ clock });
  const task = { id: 'T001', title: 'First', status: 'pending', type: 'task', priority: 'medium' };
  expect(JSON.stringify(await call('tasks.add', { title: 'First' }))).toBe(
    JSON.stringify({ _meta: meta('tasks.add', { resultsField: 'task' }), success: true, task, data: { created: ['T001'] } }),
  );
  expect(JSON.stringify(await call('tasks.list'))).toBe(
    JSON.stringify({ _meta: meta('tasks.list', { resultsField: 'tasks' }), success: true, tasks: [task] }),
  );
  const error = { code: 'E_INVALID_INPUT', exitCode: 2, message: 'params must be an object', fix: 'cleo help add' };
  expect(JSON.stringify(await call('tasks.add', [] as never))).toBe(
    JSON.stringify({ _meta: meta('tasks.add', { exitCode: 2 }), success: false, error }),
  );
});

test('an empty list has exit code 100 in the answer and as the exit code', async () => {
  const { reply } = await openApp({ clock });
  const { envelope, exitCode } = await reply('tasks.list');
  expect({ envelope, exitCode }).toEqual({
    exitCode: 100,
    envelope: { _meta: meta('tasks.list', { resultsField: 'tasks', exitCode: 100 }), success: true, tasks: [] },
  });
});

test('an answer names the operation by its real name and the session it belongs to', async () => {
  const { call } = await openApp({ clock, tasks: ['T001', 'session session-1 task:T001 by tester'] });
  expect((await call('system.dash'))._meta).toMatchObject({ command: 'admin.dash', sessionId: 'session-1' });
  expect((await call('tasks.show', { taskId: 'T900' }))._meta).toEqual(meta('tasks.show', { sessionId: 'session-1', exitCode: 4 }));
});

test('a receipt names what was created, updated and deleted, and a dry run only counts it', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  const state = () =>
    app.store.read(async ({ audit, tasks }) => [await audit.listAfter(0, 9), await tasks.get('T001'), await tasks.get('T003')]);
  const before = await state();
  const count = { dryRun: true, count: 1, wouldCreate: 0, wouldUpdate: 0, wouldDelete: 0, insertedCount: 0 };
  const dry = { dryRun: true };
  expect((await app.call('tasks.add', { title: 'x', ...dry }, { idempotencyKey: 'k1' })).data).toEqual({ ...count, wouldCreate: 1 });
  expect((await app.call('tasks.delete', { taskId: 'T001', ...dry })).data).toEqual({ ...count, wouldDelete: 1 });
  expect(await state()).toEqual(before);
  expect((await app.call('tasks.update', { taskId: 'T001', title: 'x' })).data).toEqual({ updated: ['T001'] });
  expect((await app.call('tasks.delete', { taskId: 'T001' })).data).toEqual({ deleted: ['T001'] });
  expect((await app.call('tasks.add', { title: 'y' }, { idempotencyKey: 'k1' })).data).toEqual({ created: ['T003'] });
});

test('a list is cut to its budget and names the next page', async () => {
  const { call } = await openApp({ clock, tasks: ['T001', 'T002', 'T003'] });
  const list = async (params: object) => {
    const { tasks, _meta } = await call('tasks.list', { ...params });
    return { ids: tasks.map(({ id }: { id: string }) => id).join(), ...(_meta.truncated ?? {}) };
  };
  expect(await list({ budget: 1000 })).toEqual({ ids: 'T001,T002,T003' });
  expect(await list({ budget: 1000, limit: 2 })).toEqual({
    ids: 'T001,T002',
    shown: 2,
    total: 3,
    next: 'cleo list --budget 1000 --limit 2 --offset 2',
  });
  expect(await list({ budget: 1000, limit: 2, offset: 2 })).toEqual({ ids: 'T003', shown: 1, total: 3 });
  expect(await list({ budget: 110 })).toEqual({ ids: 'T001', shown: 1, total: 3, next: 'cleo list --budget 110 --offset 1' });
  expect(await list({ budget: 110, offset: 1 })).toEqual({ ids: 'T002', shown: 1, total: 3, next: 'cleo list --budget 110 --offset 2' });
  const tiny = await list({ budget: 85 });
  expect(tiny).toEqual({ ids: '', shown: 0, total: 3, next: expect.stringMatching(/^cleo list --budget \d+$/) });
  expect((await list({ budget: Number(/\d+$/.exec(tiny.next)?.[0]) })).ids).toBe('T001');
  const { error } = await call('tasks.list', { budget: 5 });
  expect(error).toMatchObject({ exitCode: 6, details: { field: 'budget' } });
  const min = Number(/\d+$/.exec(error.fix)?.[0]);
  expect((await call('tasks.list', { budget: min })).success).toBe(true);
  expect((await call('tasks.list', { budget: min - 1 })).error.fix).toBe(error.fix);
  // A control character in a command to copy would reach the terminal.
  expect((await call('tasks.find', { query: 'a\u0007b', budget: 5 })).error).toMatchObject({ exitCode: 6, fix: 'cleo help find' });
});
