import { expect, test } from 'vitest';
import { readSample } from '../../../test/imports/sample.ts';
import type { ForeignTask } from '../model/foreign.ts';
import { sourceFilePatterns } from './detect-tool.ts';
import { readTaskwarrior } from './taskwarrior.ts';

const entry = (more: object) => ({ uuid: 'u1', description: 'Read', status: 'pending', entry: '20260101T000000Z', ...more });
const read = (...entries: object[]) => readTaskwarrior([{ name: 'export.json', text: JSON.stringify(entries) }]);

test('reads an export of Taskwarrior', () => {
  const { source, tasks, losses } = readTaskwarrior(readSample('taskwarrior'));
  const byTitle = new Map(tasks.map((task) => [task.title, task]));
  const at = (title: string): ForeignTask => byTitle.get(title)!;
  expect(source).toBe('taskwarrior');
  expect(tasks.map(({ title, status, priority, parent }) => [title, status, priority, parent])).toEqual([
    ['service', 'pending', undefined, undefined],
    ['shop', 'done', undefined, undefined],
    ['Read the configuration file', 'pending', 'high', 'project:service'],
    ['Parse the table of routes', 'pending', 'medium', 'project:service'],
    ['Accept wildcards', 'pending', 'low', 'project:service'],
    ['Write the release notes', 'blocked', undefined, undefined],
    ['Choose a logger', 'active', undefined, 'project:service'],
    ['Quotes "and" slashes / and é 👩‍👩‍👧', 'pending', undefined, undefined],
    ['Water the plants', 'pending', undefined, undefined],
    ['Water the plants', 'pending', undefined, undefined],
    ['Draw the sign', 'done', undefined, 'project:shop'],
  ]);
  const [reader, parser] = [at('Read the configuration file'), at('Parse the table of routes')];
  expect(parser.depends).toEqual([reader.id]);
  expect(new Set(at('Accept wildcards').depends)).toEqual(new Set([reader.id, parser.id]));
  expect(reader).toMatchObject({
    labels: ['core', 'first', 'project:service.config'],
    notes: [{ text: 'The reader is in place' }, { text: 'Is TOML settled? https://example.org/toml' }],
    createdAt: expect.stringMatching(/^2026-11-15T\d\d:\d\d:\d\d\.000Z$/),
  });
  expect(at('Write the release notes').blockedBy).toBe('Waiting until 2030-01-01');
  expect(at('Choose a logger').startedAt).toBeDefined();
  expect(parser).toMatchObject({ due: '2026-12-01' });
  expect(parser.description).toBeUndefined();
  expect(new Set(losses.map(({ field }) => field))).toEqual(
    new Set(['estimate', 'scheduled', 'wait', 'recur', 'until', 'review', 'status']),
  );
});

test.each([
  [{}, { status: 'pending' }, []],
  [{ start: '20260102T000000Z' }, { status: 'active', startedAt: '2026-01-02T00:00:00.000Z' }, []],
  [{ status: 'completed', end: '20260103T040506Z' }, { status: 'done', completedAt: '2026-01-03T04:05:06.000Z' }, []],
  [{ status: 'waiting' }, { status: 'blocked', blockedBy: 'Waiting' }, []],
  [{ wait: '20260201T000000Z' }, { status: 'blocked', blockedBy: 'Waiting until 2026-02-01' }, ['wait']],
  [{ wait: '20251231T000000Z' }, { status: 'pending' }, ['wait']],
  [{ priority: 'H' }, { priority: 'high' }, []],
  [{ priority: 'now' }, {}, ['priority']],
  [{ depends: 'u2,u3' }, { depends: ['u2', 'u3'] }, []],
  [{ depends: ['u2'] }, { depends: ['u2'] }, []],
  [{ tags: ['Über', 'a b', '标'] }, { labels: ['uber', 'a-b'] }, ['labels']],
  [{ entry: '20260230T000000Z' }, {}, ['createdAt']],
  [{ annotations: [{ entry: '20260102T000000Z', description: 'n' }, 7] }, { notes: [{ at: '2026-01-02T00:00:00.000Z', text: 'n' }] }, []],
  [{ effort: 3 }, { description: 'From Taskwarrior:\n- effort: 3' }, ['effort']],
])('reads %j as %j', (more, expected, lost) => {
  const { tasks, losses } = read(entry(more));
  expect(tasks).toMatchObject([expected]);
  expect(losses.map(({ field }) => field)).toEqual(lost);
});

test.each(['deleted', 'recurring'])('skips and reports a %s entry', (status) => {
  expect(read(entry({ status }))).toMatchObject({ tasks: [], losses: [{ id: 'u1' }] });
});

test('reads JSON Lines with commas, a byte order mark and Windows line endings', () => {
  const text = `\ufeff${[entry({}), entry({ uuid: 'u2' })].map((one) => `${JSON.stringify(one)},`).join('\r\n')}\r\n`;
  expect(readTaskwarrior([{ name: 'x.json', text }]).tasks.map(({ id }) => id)).toEqual(['u1', 'u2']);
});

test.each([
  ['an empty file', '', /empty/],
  ['numbers', '[1,2]', /it is not an object: "1"/],
  ['plain text', 'Buy milk', /not valid JSON/],
])('rejects %s', (_, text, problem) => {
  expect(() => readTaskwarrior([{ name: 'export.json', text }])).toThrow(problem);
});

test.each([
  ['a torn list', `[${JSON.stringify(entry({}))},\n{"uuid":"u2","desc`, ['u1']],
  ['a torn line', `${JSON.stringify(entry({}))}\n{"uuid":"u2","desc`, ['u1']],
  ['another tool', '[{"id":1,"title":"x","status":"pending"}]', []],
  ['one uuid twice', JSON.stringify([entry({}), entry({ description: 'Write' })]), ['u1', 'u1~2']],
])('reads the rest of %s and reports it', (_, text, ids) => {
  const { tasks, losses } = readTaskwarrior([{ name: 'export.json', text }]);
  expect(tasks.map(({ id }) => id)).toEqual(ids);
  expect(losses.filter(({ isProblem }) => isProblem)).toHaveLength(1);
});

test('merges equal copies of a task', () => {
  expect(read(entry({}), entry({})).tasks).toHaveLength(1);
});

test('accepts export files only', () => {
  expect(
    ['export.json', 'a/tasks.jsonl', 'pending.data', 'taskrc', 'package.json'].filter((name) => sourceFilePatterns.taskwarrior.test(name)),
  ).toEqual(['export.json', 'a/tasks.jsonl']);
});
