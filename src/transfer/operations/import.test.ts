import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

const world = [
  'T001 saga',
  'T002 in T001 high phase core labels a,b/c: An epic with "quotes", commas and | bars',
  'T003 in T002 done large files src/a.ts,b.ts',
  'T004 in T003 done archived',
  'T005 in T002 active by ada depends T003 accept parses|rejects',
  'T006 blocked evidence testsPassed: =HYPERLINK("x")',
  'T010: مرحبا 👩‍👩‍👧 é e\u0301',
];

test.each(['jsonl', 'json'])('%s: restores every field in an empty project', async (format) => {
  const one = await openApp({ tasks: world });
  await one.call('tasks.relates.add', { from: 'T005', to: 'T006', type: 'related', reason: 'the same cause' });
  await one.call('tasks.update', { taskId: 'T005', notes: 'line one\nline two\t"quoted"' });
  await one.call('tasks.update', { taskId: 'T010', assignee: 'Zoë', due: '2026-05-01', requires: ['linux', 'gpu'] });
  await one.call('tasks.add', { title: 'Not needed' });
  await one.call('tasks.cancel', { taskId: 'T011', reason: 'no' });
  await one.call('tasks.criteria.check', { taskId: 'T005', n: 1 }, { agent: 'ada' });
  const { content, count } = await one.call('tasks.export', { format });
  expect(count).toBe(world.length + 1);
  const two = await openApp();
  expect(await two.call('tasks.import', { content })).toMatchObject({ imported: world.length + 1 });
  for (const line of [...world, 'T011']) {
    const taskId = line.slice(0, 4);
    // Claims are not exported.
    const { claim: _, ...task } = (await one.call('tasks.show', { taskId })).task;
    expect((await two.call('tasks.show', { taskId })).task).toEqual(task);
  }
  expect((await two.call('tasks.export', { format })).content).toBe(content);
  expect(await two.call('tasks.add', { title: 'After' })).toMatchObject({ task: { id: 'T012' } });
});

const line = (more: object): string =>
  JSON.stringify({
    id: 'T001',
    type: 'task',
    title: 'x',
    status: 'pending',
    priority: 'low',
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'a',
    updatedAt: '2026-01-01T00:00:00.000Z',
    revision: 1,
    ...more,
  });

test.each([
  ['a truncated line', `${line({})}\n${line({ id: 'T002' }).slice(0, 40)}`, 2],
  ['a file of another tool', '{"issues":[{"key":"A-1"}]}', 2],
  ['plain text', 'hello', 2],
  ['an empty line', '\n', 2],
  ['an empty list', '[]', 2],
  ['an id twice', `${line({})}\n${line({})}`, 22],
  ['a missing parent', line({ parentId: 'T009', type: 'subtask' }), 10],
  ['a missing dependency', line({ depends: ['T009'] }), 4],
  ['a cycle of dependencies', `${line({ depends: ['T002'] })}\n${line({ id: 'T002', depends: ['T001'] })}`, 14],
  ['a cycle of parents', `${line({ parentId: 'T002' })}\n${line({ id: 'T002', parentId: 'T001' })}`, 14],
  ['a wrong tier', `${line({ type: 'epic' })}\n${line({ id: 'T002', type: 'subtask', parentId: 'T001' })}`, 13],
  ['a NUL', line({ title: 'a\0b' }), 6],
  ['a lone surrogate', line({ description: '\ud800' }), 6],
  ['an unknown status', line({ status: 'later' }), 2],
  ['an invalid time', line({ createdAt: 'yesterday' }), 6],
  ['a relation to itself', line({ relations: [{ taskId: 'T001', type: 'related', reason: 'x', direction: 'to' }] }), 14],
])('rejects the whole file for %s', async (_, content, exitCode) => {
  const { call } = await openApp();
  expect(await call('tasks.import', { content })).toMatchObject({ error: { exitCode } });
  expect(await call('tasks.list')).toMatchObject({ tasks: [], _meta: { exitCode: 100 } });
});

test('rejects an id that is or was in use', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  await call('tasks.delete', { taskId: 'T002' });
  expect(await call('tasks.import', { content: line({}) })).toMatchObject({
    error: { exitCode: 22, fix: 'cleo import - --renumber --dry-run' },
  });
  expect(await call('tasks.import', { content: line({ id: 'T002' }) })).toMatchObject({
    error: { exitCode: 22, fix: 'cleo import - --renumber --dry-run' },
  });
});

test('the same file again changes nothing', async () => {
  const { call } = await openApp({ tasks: world });
  const { content } = await call('tasks.export');
  const reply = await call('tasks.import', { content });
  expect(reply).toMatchObject({ imported: 0, unchanged: world.length, _meta: { exitCode: 102 } });
  expect((await call('tasks.export')).content).toBe(content);
});

test('restores a deleted task with its number, and leaves the others', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T003 depends T001'] });
  const { content } = await call('tasks.export');
  await call('tasks.delete', { taskId: 'T002' });
  await call('tasks.update', { taskId: 'T003', title: 'Changed here' });
  expect(await call('tasks.import', { content })).toMatchObject({ imported: 1, unchanged: 2 });
  expect((await call('tasks.show', { taskId: 'T003' })).task.title).toBe('Changed here');
  expect((await call('tasks.show', { taskId: 'T002' })).task.uid).toBe(JSON.parse(content.split('\n')[1]).uid);
});

test('a task whose number is taken gets the next free one, and references follow', async () => {
  const uid = (n: number): string => `01kdvdna00000000000${n}`;
  const at = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T004'] });
  const content = [
    line({ id: 'T001', uid: uid(1), createdAt: at(3), title: 'Later', aliases: [{ tool: 'beads', id: 'bd-1' }] }),
    line({ id: 'T002', uid: uid(2), createdAt: at(2), title: 'Earlier', depends: ['T001'] }),
    line({ id: 'T003', uid: uid(3), title: 'Keeps it', depends: ['T002'], resolution: 'wontfix', status: 'done' }),
  ].join('\n');
  const reply = await call('tasks.import', { content });
  expect(reply).toMatchObject({
    imported: 3,
    ids: [
      { id: 'T001', taskId: 'T006' },
      { id: 'T002', taskId: 'T005' },
    ],
    _meta: { warnings: ['T001 of the file is T006 here, because another task has or had that number, and 1 more were renumbered'] },
  });
  expect((await call('tasks.show', { taskId: 'T003' })).task).toMatchObject({ depends: ['T005'], resolution: 'wontfix' });
  expect((await call('tasks.show', { taskId: 'T005' })).task).toMatchObject({ title: 'Earlier', depends: ['T006'] });
  expect((await call('tasks.show', { taskId: 'bd-1' })).task).toMatchObject({
    id: 'T006',
    aliases: [
      { tool: 'beads', id: 'bd-1' },
      { tool: 'cleo', id: 'T001@000001' },
    ],
    notes: [{ text: 'T001 in the file it was imported from' }],
  });
  expect((await call('tasks.show', { taskId: 'T001@000001' })).task.id).toBe('T006');
  expect((await call('tasks.show', { taskId: 'T001' }))._meta.warnings).toEqual(['T001 was also the id of T006, in another clone']);
  expect(await call('tasks.import', { content })).toMatchObject({ unchanged: 3, _meta: { exitCode: 102 } });
  expect(await call('tasks.add', { title: 'After' })).toMatchObject({ task: { id: 'T007' } });
});

test('writes a file only inside the project', async () => {
  const { call, root } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.export.file', { output: 'out.csv', format: 'csv' })).toMatchObject({ file: 'out.csv', count: 1 });
  expect(readFileSync(join(root, 'out.csv'), 'utf8')).toContain('T001,task,Task T001,pending');
  for (const output of ['../out.csv', '/tmp/cleo-out.csv', '.cleo/out.csv', '.git/out', '.', 'sub/../../x'])
    expect(await call('tasks.export.file', { output })).toMatchObject({ error: { exitCode: 3 } });
  expect(existsSync(join(root, '..', 'out.csv'))).toBe(false);
});
