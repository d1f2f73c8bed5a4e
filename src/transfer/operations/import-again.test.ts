import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';
import { formatBeadsIssue } from '../../../test/beads-issue.ts';

const issue = (id: string, more: object = {}): string => formatBeadsIssue(id, { updated_at: '2026-01-01T00:00:00Z', ...more });
const child = (id: string, ...parents: string[]) => ({
  dependencies: parents.map((parent) => ({ issue_id: id, depends_on_id: parent, type: 'parent-child' })),
});
const blocks = (id: string, on: string) => ({ dependencies: [{ issue_id: id, depends_on_id: on, type: 'blocks' }] });
const run = ({ call }: TestApp, lines: string[], more: object = {}) =>
  call('tasks.import', { content: lines.join('\n'), from: 'beads', ...more });
const show = async ({ call }: TestApp, taskId: string) => (await call('tasks.show', { taskId })).task;

test('closes an epic that was held open once its children are closed', async () => {
  const app = await openApp();
  const closed = { status: 'closed', closed_at: '2026-01-02T00:00:00Z' };
  await run(app, [issue('e', { issue_type: 'epic', ...closed }), issue('c', child('c', 'e'))]);
  expect(await show(app, 'T001')).toMatchObject({ status: 'pending' });
  expect(await run(app, [issue('e', { issue_type: 'epic', ...closed }), issue('c', { ...child('c', 'e'), ...closed })])).toMatchObject({
    updated: 2,
  });
  expect(await show(app, 'T001')).toMatchObject({ status: 'done', completedAt: '2026-01-02T00:00:00.000Z' });
});

test('a dependency that was cut from a cycle returns once the cycle is gone', async () => {
  const app = await openApp();
  await run(app, [issue('a', blocks('a', 'b')), issue('b', blocks('b', 'a'))]);
  expect([(await show(app, 'T001')).depends, (await show(app, 'T002')).depends]).toEqual([['T002'], undefined]);
  await run(app, [issue('a', { updated_at: '2026-01-02T00:00:00Z' }), issue('b', blocks('b', 'a'))]);
  expect([(await show(app, 'T001')).depends, (await show(app, 'T002')).depends]).toEqual([undefined, ['T001']]);
});

test.each([
  ['newer', '2027-01-01T00:00:00Z', 'Theirs', 'theirs'],
  ['newer', '2026-01-02T00:00:00Z', 'Ours', 'ours'],
  ['ours', '2027-01-01T00:00:00Z', 'Ours', 'ours'],
  ['theirs', '2026-01-02T00:00:00Z', 'Theirs', 'theirs'],
])('on a conflict, %s keeps the right title and lists the conflict', async (onConflict, updated_at, title, kept) => {
  const app = await openApp();
  await run(app, [issue('a', { labels: ['one'] })]);
  await app.call('tasks.update', { taskId: 'T001', title: 'Ours', labels: ['one', 'mine'], priority: 'low' });
  const again = await run(app, [issue('a', { title: 'Theirs', labels: ['one', 'two'], updated_at })], { onConflict });
  expect(again.conflicts).toEqual([{ id: 'a', taskId: 'T001', field: 'title', kept }]);
  expect(await show(app, 'T001')).toMatchObject({ title, priority: 'low', labels: ['one', 'two', 'mine'] });
  expect(await run(app, [issue('a', { title: 'Theirs', labels: ['one', 'two'], updated_at })], { onConflict })).toMatchObject({
    updated: 0,
    _meta: { exitCode: 102 },
  });
  expect(await show(app, 'T001')).toMatchObject({ title, labels: ['one', 'two', 'mine'] });
});

test('an older file changes nothing and says so', async () => {
  const app = await openApp();
  const old = [issue('a'), issue('b')];
  await run(app, [issue('a', { title: 'New', updated_at: '2026-02-01T00:00:00Z' })]);
  const again = await run(app, old);
  const { _meta, ...result } = again;
  expect(_meta).toMatchObject({ exitCode: 102, warnings: [expect.stringMatching(/older/)] });
  expect(result).toEqual({ success: true, imported: 0, updated: 0, unchanged: 2, lossGroups: [], losses: [], ids: [], data: {} });
  expect(await show(app, 'T001')).toMatchObject({ title: 'New' });
  expect((await app.call('tasks.list')).tasks).toHaveLength(1);
});

test('the times of a task that was not changed here are those of the tool', async () => {
  const app = await openApp();
  await run(app, [issue('a')]);
  await run(app, [issue('a', { title: 'New', updated_at: '2026-02-01T00:00:00Z', notes: 'Seen' })]);
  expect(await show(app, 'T001')).toMatchObject({
    title: 'New',
    updatedAt: '2026-02-01T00:00:00.000Z',
    notes: [{ at: '2026-02-01T00:00:00.000Z', text: 'Seen' }],
  });
});

test('comments are told apart by author, time and text', async () => {
  const app = await openApp();
  const comment = (author: string, created_at: string) => ({ author, text: '+1', created_at });
  const first = [comment('ada', '2026-01-02T00:00:00Z'), comment('bob', '2026-01-02T00:00:00Z')];
  await run(app, [issue('a', { comments: first })]);
  await run(app, [issue('a', { comments: [...first, comment('ada', '2026-01-03T00:00:00Z')], updated_at: '2026-01-03T00:00:00Z' })]);
  expect((await show(app, 'T001')).notes.map(({ by, at }: { by: string; at: string }) => `${by} ${at.slice(8, 10)}`)).toEqual([
    'ada 02',
    'bob 02',
    'ada 03',
  ]);
});

test('a record that becomes a parent, or whose parents change, moves', async () => {
  const app = await openApp();
  await run(app, [issue('a'), issue('b', child('b', 'a')), issue('x'), issue('y'), issue('z', child('z', 'x', 'y'))]);
  expect(await show(app, 'T002')).toMatchObject({ type: 'subtask' });
  const later = { updated_at: '2026-01-02T00:00:00Z' };
  const answer = await run(app, [
    issue('a'),
    issue('b', child('b', 'a')),
    issue('c', child('c', 'b')),
    issue('x'),
    issue('y'),
    issue('z', { ...child('z', 'y'), ...later }),
  ]);
  expect(answer.error?.message).toBeUndefined();
  expect(await Promise.all(['T001', 'T002', 'T006'].map(async (id) => (await show(app, id)).type))).toEqual(['epic', 'task', 'subtask']);
  expect(await show(app, 'T005')).toMatchObject({ parentId: 'T004' });
  expect((await show(app, 'T005')).relations).toBeUndefined();
  const { findings } = await app.call('admin.doctor');
  expect(findings.filter(({ taskId }: { taskId?: string }) => taskId)).toEqual([]);
});

test('reports records that are gone or deleted, and archives them with prune', async () => {
  const app = await openApp();
  await run(app, [issue('a'), issue('b'), issue('p'), issue('q', child('q', 'p'))]);
  await app.call('tasks.add', { title: 'Mine', parent: 'T003' });
  const rest = [issue('a'), issue('b', { status: 'tombstone' })];
  expect((await run(app, rest)).losses.map(({ id, why }: { id: string; why: string }) => `${id} ${why}`)).toEqual([
    '* 1 left out: deleted in beads',
    'b deleted in beads; T002 stays; prune archives it',
    'p gone from the file; T003 stays; prune archives it',
    'q gone from the file; T004 stays; prune archives it',
  ]);
  expect(await run(app, rest, { prune: true })).toMatchObject({ pruned: 2 });
  expect(await show(app, 'T002')).toMatchObject({ status: 'done', resolution: 'cancelled', archivedAt: expect.any(String) });
  expect(await show(app, 'T003')).toMatchObject({ status: 'pending' });
});

test('finds its tasks again on another machine by their aliases', async () => {
  const one = await openApp();
  await run(one, [issue('bd-1', { title: 'Zoë’s plan', created_by: 'Zoë Ångström' }), issue('bd-2')]);
  const { content } = await one.call('tasks.export', { format: 'jsonl' });
  const two = await openApp();
  await two.call('tasks.import', { content });
  expect(await show(two, 'T001')).toMatchObject({ createdBy: 'Zoë Ångström', aliases: [{ tool: 'beads', id: 'bd-1' }] });
  const lines = [issue('bd-1', { title: 'Changed', updated_at: '2027-01-01T00:00:00Z' }), issue('bd-2'), issue('bd-3')];
  expect(await run(two, lines)).toMatchObject({ imported: 1, updated: 1 });
  expect(await show(two, 'T001')).toMatchObject({ title: 'Changed' });
  expect((await two.call('tasks.list')).tasks).toHaveLength(3);
});

test('memories of beads become observations, once', async () => {
  const app = await openApp();
  const memory = '{"_type":"memory","key":"port","value":"The database listens on 5432"}';
  expect(await run(app, [issue('a'), memory])).toMatchObject({ memories: 1 });
  expect(await run(app, [issue('a'), memory])).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await app.call('memory.find', { query: '5432' })).toMatchObject({ memories: [{ title: 'port' }] });
});

test('writes all losses to a report inside the project', async () => {
  const { cli, root } = await openApp();
  const lines = [issue('a', { estimated_minutes: 5 }), '{"torn'].join('\n');
  writeFileSync(join(root, 'issues.jsonl'), lines);
  expect((await cli(['import', 'issues.jsonl', '--from', 'beads', '--report', 'report.jsonl', '--dry-run'])).exitCode).toBe(0);
  const report = readFileSync(join(root, 'report.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(report.map(({ kind, field }: { kind: string; field?: string }) => [kind, field])).toEqual([
    ['loss', 'estimated_minutes'],
    ['problem', 'task'],
    ['id', undefined],
  ]);
});

test('a relation to a child that is gone from the file is left out', async () => {
  const app = await openApp();
  await run(app, [issue('a'), issue('b', child('b', 'a'))]);
  const related = { dependencies: [{ issue_id: 'a', depends_on_id: 'b', type: 'related' }], updated_at: '2026-01-02T00:00:00Z' };
  expect(await run(app, [issue('a', related)])).toMatchObject({ success: true });
  expect(await show(app, 'T002')).toMatchObject({ parentId: 'T001' });
});

test('a file that does not fit into one page of known records is compared whole', async () => {
  const app = await openApp();
  const ids = Array.from({ length: 1050 }, (_, i) => `bd-${i}`);
  const later = { title: 'Changed', updated_at: '2026-01-02T00:00:00Z' };
  await run(
    app,
    ids.map((id) => issue(id, { description: `Words of ${id.replace('-', '')}` })),
  );
  // The index is written in several parts.
  for (const [id, word] of [
    ['T001', 'bd0'],
    ['T513', 'bd512'],
    ['T1050', 'bd1049'],
  ])
    expect((await app.call('tasks.find', { query: word })).tasks).toMatchObject([{ id }]);
  expect(
    await run(
      app,
      ids.map((id) => issue(id, { description: `Words of ${id.replace('-', '')}` })),
    ),
  ).toMatchObject({ imported: 0, updated: 0, unchanged: 1050 });
  const rest = ids.filter((id) => id !== 'bd-2' && id !== 'bd-10');
  const again = await run(
    app,
    rest.map((id) => issue(id, { description: `Words of ${id.replace('-', '')}`, ...(id === 'bd-999' ? later : {}) })),
  );
  expect(again).toMatchObject({ imported: 0, updated: 1, unchanged: 1047 });
  expect(again.losses.map(({ id }: { id: string }) => id)).toEqual(['bd-2', 'bd-10']);
  expect(await show(app, 'T1000')).toMatchObject({ title: 'Changed' });
});

test('words of an import that was only tried are still found after a typo', async () => {
  const app = await openApp();
  const lines = [issue('a', { title: 'Compute the perihelion' })];
  await run(app, lines, { dryRun: true });
  await run(app, lines);
  expect((await app.call('tasks.find', { query: 'perihelon' })).tasks).toMatchObject([{ id: 'T001' }]);
});

test('an import of an export writes its report too', async () => {
  const { root, cli, call } = await openApp({ tasks: ['T001'] });
  writeFileSync(join(root, 'tasks.jsonl'), (await call('tasks.export')).content);
  const { envelope } = await cli(['import', 'tasks.jsonl', '--renumber', '--report', 'report.jsonl']);
  expect(envelope).toMatchObject({ imported: 1, report: 'report.jsonl' });
  expect(readFileSync(join(root, 'report.jsonl'), 'utf8')).toBe('{"kind":"id","id":"T001","taskId":"T002"}\n');
});

const closed = { status: 'closed', closed_at: '2026-01-03T00:00:00Z', updated_at: '2027-01-01T00:00:00Z' };

test('a file does not complete a task that needs evidence, whether the task or the project requires it', async () => {
  const bound = await openApp();
  await run(bound, [issue('a')]);
  await bound.call('tasks.update', { taskId: 'T001', acceptEvidence: ['testsPassed'] });
  const required = await openApp({ config: { verification: { required: true } } });
  await run(required, [issue('e', { issue_type: 'epic' }), issue('a', child('a', 'e'))]);
  for (const [app, id] of [
    [bound, 'T001'],
    [required, 'T002'],
  ] as const) {
    const { losses } = await run(app, [issue('e', { issue_type: 'epic' }), issue('a', { ...child('a', 'e'), ...closed })]);
    expect(losses).toContainEqual({ id: 'a', field: 'status', why: `${id} lacks evidence; it stays pending` });
    expect(await show(app, id)).toMatchObject({ status: 'pending' });
  }
});

test('where the project requires evidence, a file can cancel a task, and completes none because of its children', async () => {
  const app = await openApp({ config: { verification: { required: true } } });
  await run(app, [issue('e', { issue_type: 'epic' }), issue('a', child('a', 'e'))]);
  const epic = issue('e', { issue_type: 'epic', ...closed });
  const { losses } = await run(app, [
    epic,
    issue('a', { ...child('a', 'e'), ...closed, close_reason: 'wontfix' }),
    issue('b', { ...child('b', 'e'), ...closed }),
  ]);
  expect(await show(app, 'T002')).toMatchObject({ status: 'done', resolution: 'wontfix' });
  expect(losses).toContainEqual({ id: 'e', field: 'status', why: 'T001 lacks evidence; it stays pending' });
  expect(await show(app, 'T001')).toMatchObject({ status: 'pending' });
});
