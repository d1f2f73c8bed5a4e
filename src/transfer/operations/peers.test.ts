import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '#tasks/model/task.ts';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import { expectedAfter, expectedCounts, type PeerName, type Recording } from '../../../test/peers/changes.ts';
import { formatExport } from '../rules/export.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'test', 'peers');
const project = readFileSync(join(folder, 'project.jsonl'), 'utf8');
const tools: PeerName[] = ['taskwarrior', 'backlog', 'taskmaster'];
const readRecording = (name: PeerName): Recording => JSON.parse(readFileSync(join(folder, 'recorded', `${name}.json`), 'utf8'));
const parse = (text: string): Task[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The tools read this very text; another one has to be tried with them (`npm run test:peers -- --record`). */
test.each(tools)('%s was tested with the present export', (name) => {
  const { content } = formatExport(parse(project), name);
  const files = typeof content === 'string' ? [{ name: expect.any(String), text: content }] : content;
  expect(readRecording(name).exported).toEqual(files.toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1)));
});

const listTasks = async (app: TestApp): Promise<Map<string, Json>> =>
  new Map(parse((await app.call('tasks.export')).content).map((task) => [task.id, task]));

test.each(tools)('changes that were made in %s reach the right tasks', async (name) => {
  const app = await openApp();
  expect(await app.call('tasks.import', { content: project })).toMatchObject({ imported: 10 });
  const before = await listTasks(app);
  const { changed } = readRecording(name);
  expect(await app.call('tasks.import', { from: name, content: changed })).toMatchObject(expectedCounts(name));
  const after = await listTasks(app);
  expect(after.size).toBe(11);
  const expected = expectedAfter(name);
  const parents = ['T001', 'T003'];
  for (const [id, task] of after)
    if (expected[id]) expect(task).toMatchObject(expected[id]);
    else if (!parents.includes(id)) expect(task).toEqual(before.get(id));
  expect(await app.call('tasks.import', { from: name, content: changed })).toMatchObject({ imported: 0, updated: 0, unchanged: 11 });
});
