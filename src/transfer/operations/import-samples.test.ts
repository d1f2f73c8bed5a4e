import { expect, test } from 'vitest';
import type { Task } from '#tasks/model/task.ts';
import { openApp, type TestApp } from '../../../test/app.ts';
import { readSample } from '../../../test/imports/sample.ts';
import type { ForeignData } from '../model/foreign.ts';
import { readBacklog } from '../rules/backlog.ts';
import { readGithub } from '../rules/github.ts';
import { readTaskwarrior } from '../rules/taskwarrior.ts';
import { readTodoTxt } from '../rules/todo-txt.ts';

const exportAll = async ({ call }: TestApp): Promise<Task[]> =>
  JSON.parse((await call('tasks.export', { format: 'json' })).content as string).tasks as Task[];

const tools: [string, string, (files: ReturnType<typeof readSample>) => ForeignData][] = [
  ['backlog', 'backlog', readBacklog],
  ['taskwarrior', 'taskwarrior', readTaskwarrior],
  ['github', 'github', readGithub],
  ['todo.txt', 'todo-txt', readTodoTxt],
];

test.each(tools)('%s: imports titles, states, priorities, dependencies and hierarchy once', async (from, folder, read) => {
  const app = await openApp();
  const content = readSample(folder);
  const answer = await app.call('tasks.import', { content, from });
  const { tasks } = read(content);
  expect(answer).toMatchObject({ imported: tasks.length, updated: 0 });
  const taskIds = new Map<string, string>(answer.ids.map(({ id, taskId }: { id: string; taskId: string }) => [id, taskId]));
  const byId = new Map((await exportAll(app)).map((task) => [task.id, task]));
  for (const { id, title, status, priority = 'medium', parent, depends, acceptance, isArchived } of tasks) {
    const task = byId.get(taskIds.get(id) ?? '')!;
    expect(task).toMatchObject({ title, status, priority });
    expect(task.parentId).toBe(parent && taskIds.get(parent));
    expect(new Set(task.depends)).toEqual(new Set(depends.flatMap((on) => taskIds.get(on) ?? [])));
    expect(task.acceptance?.flatMap((one) => (one.kind === 'text' ? [{ text: one.text, met: one.met === true }] : [])) ?? []).toEqual(
      acceptance,
    );
    expect(task.archivedAt !== undefined).toBe(isArchived === true);
  }
  expect(await app.call('tasks.import', { content, from })).toMatchObject({ imported: 0, updated: 0, _meta: { exitCode: 102 } });
  expect(await exportAll(app)).toHaveLength(tasks.length);
});

test('updates the same task when it changed in the source', async () => {
  const app = await openApp();
  const taskwarrior = (status: string, more: object = {}): string =>
    JSON.stringify([{ uuid: 'u1', description: 'Read', status, entry: '20260101T000000Z', project: 'service', ...more }]);
  await app.call('tasks.import', { from: 'taskwarrior', content: taskwarrior('pending') });
  await app.call('tasks.import', { from: 'taskwarrior', content: taskwarrior('completed', { end: '20260102T000000Z', priority: 'H' }) });
  const todo = (name: string, text: string) => ({ from: 'todo.txt', content: [{ name, text }] });
  await app.call('tasks.import', todo('todo.txt', '2026-01-01 Call Mira +home\n'));
  await app.call('tasks.import', todo('done.txt', 'x 2026-01-03 2026-01-01 Call Mira +work\n'));
  expect((await exportAll(app)).map(({ title, status, priority, labels }) => [title, status, priority, labels])).toEqual([
    ['service', 'done', 'medium', undefined],
    ['Read', 'done', 'high', undefined],
    ['Call Mira', 'done', 'medium', ['project:work']],
  ]);
});

test('imports nothing with strict if one file is truncated, and lists all problems', async () => {
  const app = await openApp();
  const content = [
    ...readSample('backlog'),
    { name: 'tasks/task-9 - torn.md', text: '---\nid: TASK-9\ntitle: "Rea' },
    { name: 'tasks/README.md', text: '' },
  ];
  expect(await app.call('tasks.import', { content, from: 'backlog', strict: true })).toMatchObject({
    error: { code: 'E_INVALID_INPUT', exitCode: 2, message: expect.stringMatching(/2 problems.*README.*torn/) },
  });
  expect(await exportAll(app)).toEqual([]);
  expect(await app.call('tasks.import', { content, from: 'backlog' })).toMatchObject({ imported: readSample('backlog').length - 3 });
});

test('imports exported issues as the same tasks', async () => {
  const one = await openApp({
    tasks: [
      'T001 saga',
      'T002 in T001 high labels a,b/c: An epic with "quotes" and | bars',
      'T003 in T002 done files src/a.ts',
      'T005 in T002 active by ada low depends T003 accept parses|rejects',
      'T006 in T005',
      'T007 blocked critical: =HYPERLINK("x")',
      'T010: مرحبا 👩‍👩‍👧',
    ],
  });
  const { content } = await one.call('tasks.export', { format: 'github' });
  const two = await openApp();
  const { ids } = await two.call('tasks.import', { content, from: 'github' });
  const sourceIds = new Map<string, string>(
    ids.map(({ id, taskId }: { id: string; taskId: string }) => [taskId, `T${id.slice(1).padStart(3, '0')}`]),
  );
  const toComparable = (task: Task, name: (id: string) => string | undefined) => ({
    id: name(task.id),
    type: task.type,
    title: task.title,
    status: task.status,
    priority: task.priority,
    parent: task.parentId && name(task.parentId),
    depends: task.depends?.map(name),
    labels: task.labels,
    files: task.files,
    blockedBy: task.blockedBy,
  });
  const again = (await exportAll(two)).map((task) => toComparable(task, (id) => sourceIds.get(id)));
  expect(again.toSorted((a, b) => a.id!.localeCompare(b.id!))).toEqual(
    (await exportAll(one)).map((task) => toComparable(task, (id) => id)),
  );
});
