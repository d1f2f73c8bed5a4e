import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../../test/app.ts';
import { formatBeadsIssue as issue } from '../../../../test/beads-issue.ts';
import { listImports } from '../../../../test/imports/imports.ts';
import { importTools } from '../../rules/detect-tool.ts';
import { collectSourceTasks } from '../../rules/source-values.ts';
import { loadReader } from './import-readers.ts';

test.each(importTools)('%s: imports titles, states, priorities, dependencies and hierarchy of a real sample', async (tool) => {
  const read = await loadReader[tool]();
  for (const files of await listImports(tool)) {
    const { call } = await openApp();
    const { tasks } = collectSourceTasks(read(files));
    expect(tasks.length).toBeGreaterThan(0);
    const first = await call('tasks.import', { content: files, from: tool, limit: 1000 });
    expect(first).toMatchObject({ success: true, imported: tasks.length, updated: 0, unchanged: 0 });
    const taskIds = new Map<string, string>(first.ids.map(({ id, taskId }: Json) => [id, taskId]));
    const sourceIds = new Set(tasks.map(({ id }) => id));
    for (const task of tasks) {
      const { task: shown } = await call('tasks.show', { taskId: taskIds.get(task.id) });
      const isReopened = first.losses.some((loss: Json) => loss.id === task.id && loss.field === 'status' && /it contains/.test(loss.why));
      expect(shown).toMatchObject({
        title: task.title,
        priority: task.priority ?? 'medium',
        ...(isReopened ? {} : { status: task.status }),
      });
      expect(shown.parentId).toBe(task.parent && taskIds.get(task.parent));
      const lost = first.losses.filter((loss: Json) => loss.id === task.id && loss.field === 'depends');
      if (lost.length === 0)
        expect(shown.depends ?? []).toEqual(task.depends.filter((on) => sourceIds.has(on)).map((on) => taskIds.get(on)));
      if (task.createdAt) expect(shown.createdAt).toBe(task.createdAt);
      if (task.completedAt && !isReopened) expect(shown.completedAt).toBe(task.completedAt);
    }
    const { findings } = await call('admin.doctor');
    expect(findings.filter(({ taskId }: Json) => taskId)).toEqual([]);
    expect(await call('tasks.import', { content: files, from: tool })).toMatchObject({
      imported: 0,
      updated: 0,
      unchanged: tasks.length,
      losses: expect.any(Array),
      _meta: { exitCode: 102 },
    });
    expect(await call('tasks.imported', { from: tool, limit: 1000 })).toMatchObject({ ids: { length: tasks.length } });
  }
});

const child = (id: string, parent: string) => ({ dependencies: [{ issue_id: id, depends_on_id: parent, type: 'parent-child' }] });

test('takes changes from the source, keeps local ones and adds new tasks when imported again', async () => {
  const { call } = await openApp();
  await call('tasks.import', { content: [issue('a'), issue('b'), issue('c')].join('\n'), from: 'beads' });
  await call('tasks.update', { taskId: 'T001', title: 'Mine', priority: 'high' });
  await call('tasks.delete', { taskId: 'T003' });
  const content = [
    issue('a', { status: 'closed', closed_at: '2026-02-01T00:00:00Z' }),
    issue('b'),
    issue('c', { priority: 0 }),
    issue('b.1'),
  ];
  const again = await call('tasks.import', { content: content.join('\n'), from: 'beads' });
  expect(again).toMatchObject({
    imported: 1,
    updated: 1,
    unchanged: 2,
    losses: [{ id: 'c', field: 'task' }],
    data: { created: ['T004'], updated: ['T001'] },
  });
  expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({
    task: { title: 'Mine', priority: 'high', status: 'done', completedAt: '2026-02-01T00:00:00.000Z' },
  });
  expect(await call('tasks.show', { taskId: 'T004' })).toMatchObject({ task: { parentId: 'T002', type: 'subtask' } });
  expect(await call('tasks.imported', { id: 'b.1' })).toMatchObject({ ids: [{ source: 'beads', id: 'b.1', taskId: 'T004' }] });
});

test('adds notes once, keeps the status of a held task and reopens a done parent', async () => {
  const { call, as } = await openApp();
  await call('tasks.import', { content: [issue('a', { notes: 'one' }), issue('b')].join('\n'), from: 'beads' });
  await as('ada').call('tasks.start', { taskId: 'T001' });
  await call('tasks.complete', { taskId: 'T002' });
  const more = { notes: 'one', comments: [{ author: 'Grace H.', text: 'two', created_at: '2026-03-01T00:00:00Z' }] };
  const content = [
    issue('a', { ...more, status: 'closed', updated_at: '2027-01-01T00:00:00Z' }),
    issue('b'),
    issue('c', child('c', 'b')),
  ].join('\n');
  expect(await call('tasks.import', { content, from: 'beads' })).toMatchObject({
    imported: 1,
    updated: 2,
    losses: expect.arrayContaining([{ id: 'a', field: 'status', why: 'an agent holds T001; it stays active' }]),
  });
  const { task } = await call('tasks.show', { taskId: 'T001' });
  expect(task).toMatchObject({
    status: 'active',
    notes: [{ text: 'one' }, { at: '2026-03-01T00:00:00.000Z', by: 'Grace H.', text: 'two' }],
  });
  expect(await call('tasks.show', { taskId: 'T002' })).toMatchObject({ task: { status: 'pending' } });
});

test('releases an expired claim when the source closes its task', async () => {
  const { call, as, tamper } = await openApp();
  await call('tasks.import', { content: issue('a'), from: 'beads' });
  await as('ada').call('tasks.start', { taskId: 'T001' });
  await tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'");
  const content = issue('a', { status: 'closed', closed_at: '2026-01-02T12:00:00Z', updated_at: '2027-01-01T00:00:00Z' });
  expect(await call('tasks.import', { content, from: 'beads' })).toMatchObject({ updated: 1, losses: [] });
  expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { status: 'done' } });
  expect(await as('ada').call('tasks.current')).toMatchObject({ task: {}, _meta: { exitCode: 100 } });
});

test('separates two sources of the same tool by name', async () => {
  const { call } = await openApp();
  await call('tasks.import', { content: issue('a'), from: 'beads', source: 'web' });
  expect(await call('tasks.import', { content: issue('a'), from: 'beads', source: 'api' })).toMatchObject({ imported: 1 });
  expect(await call('tasks.imported', { id: 'a' })).toMatchObject({ ids: [{ source: 'beads:api' }, { source: 'beads:web' }] });
});

test('imported finds all sources of a tool, and a source of any tool', async () => {
  const { call } = await openApp();
  await call('tasks.import', { content: issue('a'), from: 'beads' });
  await call('tasks.import', { content: issue('b'), from: 'beads', source: 'web' });
  await call('tasks.import', { content: issue('c'), from: 'beads', source: 'api' });
  const find = async (params: object) => (await call('tasks.imported', { ...params })).ids.map(({ id }: { id: string }) => id).join();
  expect(await find({ from: 'beads' })).toBe('a,c,b');
  expect(await find({ source: 'web' })).toBe('b');
  expect(await find({ from: 'beads', source: 'api' })).toBe('c');
  expect(await find({ from: 'github' })).toBe('');
  expect(await find({ source: 'none' })).toBe('');
});

test('imported counts only the tasks that match, not all imported ones', async () => {
  const { call } = await openApp();
  for (const id of ['a', 'b', 'c']) await call('tasks.import', { content: issue(id), from: 'beads', source: id === 'c' ? 'api' : 'web' });
  const found = await call('tasks.imported', { from: 'beads', source: 'web', limit: 1 });
  expect(found).toMatchObject({ ids: [{ id: 'a' }], _meta: { truncated: { shown: 1, total: 2 } } });
  expect((await call('tasks.imported', { from: 'beads', source: 'api', limit: 1 }))._meta).not.toHaveProperty('truncated');
});

test('reports the same in a dry run and writes nothing', async () => {
  const { call } = await openApp();
  const content = [issue('a', { estimated_minutes: 5 }), issue('b', child('b', 'a'))].join('\n');
  expect(await call('tasks.import', { content, from: 'beads', dryRun: true })).toMatchObject({
    imported: 2,
    losses: [{ id: 'a', field: 'estimated_minutes' }],
    lossGroups: [{ count: 1, field: 'estimated_minutes', examples: ['a'] }],
    data: { dryRun: true, wouldCreate: 2, insertedCount: 0 },
  });
  expect(await call('tasks.list')).toMatchObject({ tasks: [] });
  expect(await call('tasks.imported')).toMatchObject({ ids: [] });
});

test('truncates a long report and counts the rest', async () => {
  const { call } = await openApp();
  const content = Array.from({ length: 12 }, (_, i) => issue(`a${i}`, { estimated_minutes: 30 })).join('\n');
  const report = await call('tasks.import', { content, from: 'beads', limit: 5 });
  expect(report).toMatchObject({ imported: 12, losses: { length: 5 }, lossCount: 12, ids: { length: 5 }, idCount: 12 });
});
