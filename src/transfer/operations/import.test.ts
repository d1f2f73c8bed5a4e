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
  await one.call('tasks.criteria.check', { taskId: 'T005', n: 1 }, { agent: 'ada' });
  const { content, count } = await one.call('tasks.export', { format });
  expect(count).toBe(world.length);
  const two = await openApp();
  expect(await two.call('tasks.import', { content })).toMatchObject({ imported: world.length });
  for (const line of world) {
    const taskId = line.slice(0, 4);
    // Claims are not exported.
    const { claim: _, ...task } = (await one.call('tasks.show', { taskId })).task;
    expect((await two.call('tasks.show', { taskId })).task).toEqual(task);
  }
  expect((await two.call('tasks.export', { format })).content).toBe(content);
  expect(await two.call('tasks.add', { title: 'After' })).toMatchObject({ task: { id: 'T011' } });
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

test('writes a file only inside the project', async () => {
  const { call, root } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.export.file', { output: 'out.csv', format: 'csv' })).toMatchObject({ file: 'out.csv', count: 1 });
  expect(readFileSync(join(root, 'out.csv'), 'utf8')).toContain('T001,task,Task T001,pending');
  for (const output of ['../out.csv', '/tmp/cleo-out.csv', '.cleo/out.csv', '.git/out', '.', 'sub/../../x'])
    expect(await call('tasks.export.file', { output })).toMatchObject({ error: { exitCode: 3 } });
  expect(existsSync(join(root, '..', 'out.csv'))).toBe(false);
});
