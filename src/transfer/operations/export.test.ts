import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';

const formats = {
  beads: 'beads',
  taskmaster: 'taskmaster',
  backlog: 'backlog',
  taskwarrior: 'taskwarrior',
  todotxt: 'todo.txt',
  github: 'github',
};
const cases = Object.entries(formats);

/** A project that has something in every field. */
async function openFull(clock?: { now: string }): Promise<TestApp> {
  const app = await openApp({
    ...(clock ? { clock } : {}),
    tasks: ['T001 epic', 'T002 in T001', 'T003 in T001', 'T004 in T003', 'T005', 'T006', 'T007'],
  });
  const must = async (operation: string, params: Json): Promise<void> => {
    const { error } = await app.call(operation, params);
    if (error) throw new Error(JSON.stringify(error));
  };
  const update = (taskId: string, params: Json): Promise<void> => must('tasks.update', { taskId, ...params });
  await update('T001', { title: 'Parser: the "first" part', description: 'Why.\n\n## More\nand more' });
  await update('T002', {
    title: '+project @context key:value',
    priority: 'critical',
    addLabels: ['type:bug', 'web'],
    assignee: 'Zoë Müller',
  });
  await update('T003', { due: '2026-03-01', acceptance: ['parses lines', 'is fast'], addDepends: ['T002'], phase: 'core', size: 'small' });
  await update('T005', { notes: 'first\n---\nsecond', addDepends: ['T003', 'T004'], files: ['src/a b.ts'], priority: 'low' });
  await update('T005', { status: 'blocked', blockedBy: 'waits for a key' });
  await must('tasks.cancel', { taskId: 'T006', reason: 'not needed' });
  await must('tasks.cancel', { taskId: 'T007', reason: 'again', resolution: 'duplicate' });
  await must('tasks.relates.add', { from: 'T005', to: 'T002', type: 'related', reason: 'same' });
  return app;
}

/** Exports and returns the parameter `content` of an import. */
async function exportContent(app: TestApp, format: string): Promise<string | { name: string; text: string }[]> {
  if (format !== 'backlog') return (await app.call('tasks.export', { format })).content;
  await app.call('tasks.export.file', { format, output: 'backlog' });
  return readFolder(join(app.root, 'backlog'));
}

const readFolder = (folder: string): { name: string; text: string }[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => /\.(?:md|yml)$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

const snapshot = async (app: TestApp): Promise<string> => (await app.call('tasks.export')).content;

describe.each(cases)('%s', (format, tool) => {
  test('a file that was exported changes nothing in its project', async () => {
    const app = await openFull();
    const before = await snapshot(app);
    const content = await exportContent(app, format);
    const { envelope } = { envelope: await app.call('tasks.import', { from: tool, content }) };
    expect(envelope).toMatchObject({ imported: 0, updated: 0, unchanged: 7 });
    expect(await snapshot(app)).toBe(before);
  });

  test('another project gets the same tasks, and its export keeps their ids', async () => {
    const app = await openFull();
    const other = await openApp();
    const content = await exportContent(app, format);
    expect(await other.call('tasks.import', { from: tool, content })).toMatchObject({ imported: 7 });
    const toShape = (text: string): Json[] =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ title, status, priority, labels, depends, assignee, due, resolution }) => ({
          title,
          status,
          priority,
          labels: (labels ?? []).filter((label: string) => !/^(?:phase|size):/.test(label)).toSorted(),
          depends: depends?.length,
          assignee,
          due,
          resolution,
        }))
        .toSorted((a, b) => (a.title < b.title ? -1 : 1));
    expect(toShape(await snapshot(other))).toEqual(toShape(await snapshot(app)));
    const again = await other.call('tasks.import', { from: tool, content: await exportContent(other, format) });
    expect(again).toMatchObject({ imported: 0, updated: 0, unchanged: 7 });
    const third = await openApp();
    await third.call('tasks.import', { from: tool, content: await exportContent(other, format) });
    const listIds = async (one: TestApp): Promise<string[]> =>
      (await one.call('tasks.imported', { limit: 50 })).ids.map(({ id }: Json) => id).sort();
    expect(await listIds(third)).toEqual(await listIds(other));
  });
});

describe('a change in the other tool', () => {
  test('reaches the task it was exported from, and nothing else', async () => {
    const app = await openFull();
    const { content } = await app.call('tasks.export', { format: 'taskwarrior' });
    const records: Json[] = JSON.parse(content);
    const changed = records.find(({ description }) => description === 'Task T003' || description.includes('T003'))!;
    Object.assign(changed, { due: '20260401T000000Z', modified: '20270101T000000Z' });
    records.push({
      uuid: 'a360fc44-315c-4366-b70c-ea7e7520b749',
      description: 'new there',
      status: 'pending',
      entry: '20270101T000000Z',
      project: changed.project,
    });
    const result = await app.call('tasks.import', { from: 'taskwarrior', content: JSON.stringify(records) });
    expect(result).toMatchObject({ imported: 1, updated: 1, unchanged: 6 });
    const { task } = await app.call('tasks.show', { taskId: 'T003' });
    expect(task).toMatchObject({
      due: '2026-04-01',
      size: 'small',
      phase: 'core',
      acceptance: [{ text: 'parses lines' }, { text: 'is fast' }, {}],
    });
    expect((await app.call('tasks.show', { taskId: 'T008' })).task).toMatchObject({ title: 'new there', parentId: 'T001' });
  });

  test('changes nothing if the task was changed here later', async () => {
    const app = await openFull();
    const { content } = await app.call('tasks.export', { format: 'beads' });
    await app.call('tasks.update', { taskId: 'T003', title: 'Changed here' });
    const stale = content.replace('"priority":2,"issue_type":"task","due_at"', '"priority":0,"issue_type":"task","due_at"');
    const result = await app.call('tasks.import', { from: 'beads', content: stale });
    expect(result).toMatchObject({ imported: 0, updated: 0 });
    expect((await app.call('tasks.show', { taskId: 'T003' })).task).toMatchObject({ title: 'Changed here', priority: 'medium' });
  });
});

describe('the folder of Backlog.md', () => {
  const exportFolder = (app: TestApp, more: Json = {}): Promise<Json> =>
    app.call('tasks.export.file', { format: 'backlog', output: 'backlog', ...more });

  test('is written again without leftovers, and without settings that exist', async () => {
    const app = await openFull();
    expect(await exportFolder(app)).toMatchObject({ file: 'backlog', count: 7 });
    writeFileSync(join(app.root, 'backlog', 'config.yml'), 'project_name: "mine"\n');
    await app.call('tasks.update', { taskId: 'T005', title: 'Another name' });
    await exportFolder(app);
    const names = readdirSync(join(app.root, 'backlog', 'tasks'));
    expect(names.filter((name) => name.startsWith('task-5 '))).toEqual(['task-5 - another-name.md']);
    expect(readFileSync(join(app.root, 'backlog', 'config.yml'), 'utf8')).toContain('mine');
  });

  test('is not overwritten where Backlog.md changed it', async () => {
    const clock = { now: '2026-05-01T10:00:00.000Z' };
    const app = await openFull(clock);
    await exportFolder(app);
    const folder = join(app.root, 'backlog', 'tasks');
    const name = readdirSync(folder).find((one) => one.startsWith('task-5 '))!;
    clock.now = '2026-05-01T11:00:00.000Z';
    const text = readFileSync(join(folder, name), 'utf8')
      .replace(/^updated_date: .*$/m, "updated_date: '2026-05-01 10:30'")
      .replace(/^priority: .*$/m, 'priority: high');
    writeFileSync(join(folder, name), text);
    const error = (await app.call('tasks.export.file', { format: 'backlog', output: 'backlog' })).error;
    expect(error).toMatchObject({ code: 'E_FILE_ERROR', fix: 'cleo import --from backlog backlog' });
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
    await app.call('tasks.import', { from: 'backlog', content: readFolder(join(app.root, 'backlog')) });
    expect((await app.call('tasks.show', { taskId: 'T005' })).task.priority).toBe('high');
    expect(await exportFolder(app)).toMatchObject({ count: 7 });
  });

  test('leaves files of other tasks and other files alone', async () => {
    const app = await openFull();
    await exportFolder(app);
    const folder = join(app.root, 'backlog', 'tasks');
    writeFileSync(join(folder, 'task-99 - theirs.md'), '---\nid: TASK-99\ntitle: theirs\nstatus: To Do\n---\n');
    writeFileSync(join(folder, 'notes.md'), 'mine');
    const name = readdirSync(folder).find((one) => one.startsWith('task-2 '))!;
    renameSync(join(folder, name), join(folder, 'task-2 - old.md'));
    await exportFolder(app);
    expect(existsSync(join(folder, 'task-2 - old.md'))).toBe(false);
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe('mine');
    expect(existsSync(join(folder, 'task-99 - theirs.md'))).toBe(true);
  });

  test('needs --output', async () => {
    const app = await openApp();
    expect((await app.call('tasks.export', { format: 'backlog' })).error).toMatchObject({
      fix: 'cleo export --format backlog --output backlog',
    });
  });
});

test('reports what a format cannot contain, in the result and as a warning', async () => {
  const app = await openFull();
  const { lost, _meta } = await app.call('tasks.export', { format: 'todotxt' });
  expect(lost).toContainEqual({ field: 'notes', count: expect.any(Number), examples: expect.any(Array) });
  expect(_meta.warnings[0]).toMatch(/^the format todotxt cannot contain everything; left out: description \(1\), /);
  expect((await app.call('tasks.export', { format: 'jsonl' })).lost).toBeUndefined();
});

test('size and phase come back from the labels of a GitHub export', async () => {
  const other = await openApp();
  await other.call('tasks.import', { from: 'github', content: await exportContent(await openFull(), 'github') });
  const { tasks } = await other.call('tasks.find', { query: 'phase', limit: 1 });
  expect(tasks).toEqual([]);
  const [task] = (await snapshot(other))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ size }) => size);
  expect(task).toMatchObject({ size: 'small', phase: 'core' });
  expect(task.labels ?? []).not.toContain('size:small');
});

test.each([
  ['todotxt', 'todo.txt', 'todo.txt', 'Water the plants\n'],
  ['beads', 'issues.jsonl', 'beads', '{"id":"bd-x","title":"Theirs","status":"open","issue_type":"task"}\n'],
])('%s: an export does not overwrite records that are not tasks here', async (format, output, tool, theirs) => {
  const app = await openApp({ tasks: ['T001'] });
  const path = join(app.root, output);
  const run = (more: object = {}) => app.call('tasks.export.file', { format, output, ...more });
  expect(await run()).toMatchObject({ success: true });
  expect(await run()).toMatchObject({ success: true });
  writeFileSync(path, theirs);
  expect(await run()).toMatchObject({
    error: { code: 'E_FILE_ERROR', fix: `cleo import --from ${tool} ${output}`, alternatives: [{ action: 'Overwrite it' }] },
  });
  expect(readFileSync(path, 'utf8')).toBe(theirs);
  expect(await run({ replace: true })).toMatchObject({ success: true });
});

test('an export does not overwrite a file of another kind', async () => {
  const app = await openApp({ tasks: ['T001'] });
  writeFileSync(join(app.root, 'notes.json'), 'not JSON');
  expect(await app.call('tasks.export.file', { format: 'taskmaster', output: 'notes.json' })).toMatchObject({
    error: { code: 'E_FILE_ERROR', message: expect.stringContaining('is not a file of taskmaster') },
  });
});
