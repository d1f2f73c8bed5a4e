import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';

const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'world' };

/** Gives tasks the ids that they have in other tools. */
const addAliases = (app: TestApp, aliases: Record<string, [tool: string, id: string][]>): Promise<void> =>
  app.store.write(stamp, async ({ tasks }) => {
    for (const [taskId, list] of Object.entries(aliases)) {
      const task = (await tasks.get(taskId))!;
      await tasks.save(task, { ...task, aliases: list.map(([tool, id]) => ({ tool, id })) });
    }
  });

const openWithAliases = async (): Promise<TestApp> => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003', 'T012'] });
  await addAliases(app, {
    T001: [['beads', 'bd-epic']],
    T002: [
      ['beads', 'bd-a1b2'],
      ['backlog', 'task-12'],
    ],
    T003: [
      ['beads:api', 'bd-a1'],
      ['cleo', 'T012@0a1b2c'],
      ['github', '1.2'],
    ],
    T012: [['taskmaster', '1.2']],
  });
  return app;
};

test('show prints the ids of other tools and takes them, in every operation that takes a task id', async () => {
  const app = await openWithAliases();
  expect((await app.call('tasks.show', { taskId: 'bd-a1b2' })).task).toMatchObject({
    id: 'T002',
    aliases: [
      { tool: 'backlog', id: 'task-12' },
      { tool: 'beads', id: 'bd-a1b2' },
    ],
  });
  for (const [name, id] of [
    ['task-12', 'T002'],
    ['beads:bd-a1b2', 'T002'],
    ['beads:api:bd-a1', 'T003'],
    ['T012@0a1b2c', 'T003'],
    ['github:1.2', 'T003'],
    ['T012', 'T012'],
  ])
    expect((await app.call('tasks.show', { taskId: name })).task.id, name).toBe(id);
  expect((await app.call('tasks.list', { parent: 'bd-epic' })).tasks).toMatchObject([{ id: 'T002' }]);
  expect(await app.call('tasks.update', { taskId: 'bd-a1', addDepends: ['bd-a1b2'], priority: 'high' })).toMatchObject({
    task: { id: 'T003', depends: ['T002'] },
  });
  expect((await app.call('tasks.show', { taskIds: ['bd-a1', 'T002'] })).tasks).toMatchObject([{ id: 'T003' }, { id: 'T002' }]);
  expect(await app.call('tasks.update', { taskId: 'T003', parent: 'bd-epic' })).toMatchObject({ task: { parentId: 'T001' } });
  expect(await app.call('tasks.relates.add', { from: 'bd-a1', to: 'bd-a1b2', type: 'fixes', reason: 'same cause' })).toMatchObject({
    success: true,
  });
  expect(await app.call('tasks.add', { title: 'More', parent: 'bd-epic', depends: ['bd-a1b2'] })).toMatchObject({
    task: { parentId: 'T001' },
  });
  const added = await app.call('tasks.add', { title: 'A list with spaces', depends: 'bd-a1b2, bd-a1' });
  expect((await app.call('tasks.show', { taskId: added.task.id })).task.depends).toEqual(['T002', 'T003']);
  expect((await app.call('tasks.exists', { taskId: 'bd-a1b2' })).exists).toBe(true);
  expect(await app.call('session.start', { scope: 'epic:bd-epic', autoFocus: true })).toMatchObject({ session: { scope: 'epic:T001' } });
});

test('the command line, a batch and a WorkGraph take them too, and the log has the task id', async () => {
  const app = await openWithAliases();
  const shown = await app.cli(['show', 'bd-a1b2']);
  expect(shown.envelope.task.id).toBe('T002');
  expect((await app.cli(['complete', 'bd-a1', 'bd-a1b2'])).envelope.tasks).toMatchObject([{ id: 'T003' }, { id: 'T002' }]);
  const batch = await app.call('tasks.add-batch', { tasks: [{ title: 'One', parent: 'bd-epic', depends: ['bd-a1b2'] }] });
  expect(batch.tasks).toMatchObject([{ parentId: 'T001' }]);
  const payload = {
    version: 1,
    create: [{ ref: 'a', type: 'task', title: 'Two', parent: 'bd-epic', depends: ['bd-a1b2'] }],
    update: [{ id: 'T012@0a1b2c', priority: 'low' }],
  };
  expect(await app.call('workgraph.apply', { payload })).toMatchObject({ workgraph: { created: 1, updated: 1 } });
  const log = await app.store.read(({ audit }) => audit.listAfter(0, 10));
  expect(log[0]?.params).toContain('T002');
});

test('an id of several tasks has to name its tool, and an unknown one is reported as before', async () => {
  const app = await openWithAliases();
  expect(await app.call('tasks.show', { taskId: '1.2' })).toMatchObject({
    error: { code: 'E_INVALID_INPUT', exitCode: 2, message: expect.stringContaining('T003 (github), T012 (taskmaster)') },
  });
  expect(await app.call('tasks.show', { taskId: 'bd-zz' })).toMatchObject({ error: { code: 'E_INVALID_INPUT', exitCode: 2 } });
  expect(await app.call('tasks.show', { taskId: 'parser' })).toMatchObject({ error: { code: 'E_INVALID_INPUT', exitCode: 2 } });
});

test('show warns about a task that had the number before it was renumbered', async () => {
  const app = await openWithAliases();
  expect((await app.call('tasks.show', { taskId: 'T012' }))._meta.warnings).toEqual(['T012 was also the id of T003, in another clone']);
  expect((await app.call('tasks.show', { taskId: 'T001' }))._meta.warnings).toBeUndefined();
});

test('aliases are in history, survive delete and restore, and move with the newest task', async () => {
  const app = await openWithAliases();
  await app.call('tasks.delete', { taskId: 'T002' });
  expect(await app.call('tasks.show', { taskId: 'bd-a1b2' })).toMatchObject({ error: { exitCode: 2 } });
  await app.call('tasks.restore', { taskId: 'T002' });
  expect((await app.call('tasks.show', { taskId: 'bd-a1b2' })).task.id).toBe('T002');
  await addAliases(app, { T012: [['beads', 'bd-a1b2']] });
  expect((await app.call('tasks.show', { taskId: 'bd-a1b2' })).task.id).toBe('T012');
  expect((await app.call('tasks.history', { taskId: 'T012' })).history).toContainEqual(
    expect.objectContaining({ field: 'aliases', new: [{ tool: 'beads', id: 'bd-a1b2' }] }),
  );
});
