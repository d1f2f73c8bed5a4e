import { expect, test } from 'vitest';
import { readSample } from '../../../test/imports/sample.ts';
import { sourceFilePatterns } from './detect-tool.ts';
import { readTodoTxt } from './todo-txt.ts';

const read = (text: string, name = 'todo.txt') => readTodoTxt([{ name, text }]);
const one = (line: string) => read(line).tasks[0]!;

test('reads files of todo.txt-cli', () => {
  const { source, tasks, losses } = readTodoTxt(readSample('todo-txt'));
  expect(source).toBe('todo.txt');
  expect(tasks.map(({ title, status, priority, labels }) => [title, status, priority, labels])).toEqual([
    ['Draw the sign', 'done', undefined, ['project:service']],
    ['Read the configuration file', 'pending', 'critical', ['project:service', 'context:desk']],
    ['Parse the table of routes', 'pending', 'high', ['project:service', 'project:routes']],
    ['Accept wildcards', 'pending', 'medium', ['project:routes']],
    ['Learn how 2+2 is added at 10:30, see https://example.org/a', 'pending', undefined, []],
    ['Ask Mira whether +service keeps TOML', 'pending', 'low', ['project:service', 'context:phone']],
    ['Water the plants', 'pending', undefined, []],
    ['xylophone lesson', 'pending', undefined, []],
    ['Choose a logger', 'pending', undefined, []],
    ['Sweep the yard', 'done', undefined, []],
  ]);
  expect(tasks.map(({ isArchived }) => isArchived === true)).toEqual([true, ...Array<boolean>(9).fill(false)]);
  expect(tasks[2]).toMatchObject({ id: 'id:2', depends: ['id:1'], due: '2026-12-01' });
  expect(tasks[3]).toMatchObject({ parent: 'id:2' });
  expect(tasks[0]).toMatchObject({ createdAt: '2026-11-15T00:00:00.000Z', completedAt: '2026-11-15T00:00:00.000Z' });
  expect(losses.map(({ field }) => field)).toEqual(['priority', 'rec', 't']);
});

test.each([
  ['(A) Call', { title: 'Call', priority: 'critical' }],
  ['(b) Get back', { title: '(b) Get back' }],
  ['(B)->Submit', { title: '(B)->Submit' }],
  ['Really call (A)', { title: 'Really call (A)' }],
  ['X 2012-01-01 Make plans', { title: 'X 2012-01-01 Make plans', status: 'pending' }],
  ['(A) x Find prices', { title: 'x Find prices', status: 'pending' }],
  ['2011-03-02 Document it', { title: 'Document it', createdAt: '2011-03-02T00:00:00.000Z' }],
  ['(A) Call 2011-03-02', { title: 'Call 2011-03-02' }],
  ['x 2011-03-03 Call', { title: 'Call', status: 'done', completedAt: '2011-03-03T00:00:00.000Z' }],
  ['x Call', { title: 'Call', status: 'done' }],
  [
    'x 2011-03-03 2011-03-01 (C) Call',
    { title: 'Call', priority: 'medium', createdAt: '2011-03-01T00:00:00.000Z', completedAt: '2011-03-03T00:00:00.000Z' },
  ],
  ['x (A) 2016-05-20 2016-04-30 measure pri:B', { title: 'measure', priority: 'critical', createdAt: '2016-04-30T00:00:00.000Z' }],
  ['x 2016-05-20 measure pri:B', { title: 'measure', priority: 'high' }],
  ['+a @b', { title: '+a @b', labels: ['project:a', 'context:b'] }],
  ['Learn 2+2 from a@b.example', { title: 'Learn 2+2 from a@b.example', labels: [] }],
  ['see foo:bar there', { title: 'see foo:bar there' }],
  ['see foo:bar', { title: 'see', description: 'From todo.txt:\n- foo: bar' }],
  ['wait due:2026-01-01 for it dep:3,4 after:5', { title: 'wait for it', depends: ['id:3', 'id:4', 'id:5'] }],
])('reads %s', (line, expected) => {
  expect(one(line)).toMatchObject(expected);
});

test('identifies a line after its status, priority, tags or dates changed', () => {
  const lines = [
    '2026-01-01 Call Mira +home',
    '(A) 2026-01-01 Call Mira +work @phone due:2026-02-02',
    'x 2026-01-05 2026-01-01 Call Mira +home pri:A',
  ];
  expect(new Set(lines.map((line) => one(line).id)).size).toBe(1);
  expect(one('2026-01-02 Call Mira').id).not.toBe(one(lines[0]!).id);
  expect(one('Call Jon id:7').id).toBe(one('Ring Jon id:7').id);
});

test('reads equal texts and different texts with one id as two tasks', () => {
  const [first, second] = read('Call\nCall\n').tasks;
  expect(second?.id).toBe(`${first?.id}-2`);
  expect(read('Call id:1\nRing id:1\n').tasks.map(({ id }) => id)).toEqual(['id:1', 'id:1~2']);
});

test('accepts a byte order mark, Windows line endings and empty lines', () => {
  expect(read('\ufeffCall\r\n\r\n  \r\nRing\r\n').tasks.map(({ title }) => title)).toEqual(['Call', 'Ring']);
  expect(read('').tasks).toEqual([]);
});

test.each([
  ['a binary', 'Call\n\0\u0001', /it is not plain text/],
  ['JSON', '[{"id":1}]', /not a todo.txt file/],
  ['an object', '{"tasks": []}', /not a todo.txt file/],
  ['a web page', '<!DOCTYPE html>', /not a todo.txt file/],
  ['front matter', '---\nid: 1\n---\n', /not a todo.txt file/],
])('rejects %s', (_, text, problem) => {
  expect(() => read(text)).toThrow(problem);
});

test('accepts todo.txt and done.txt only', () => {
  expect(['todo.txt', 'a/done.txt', 'report.txt', 'todo.txt.bak'].filter((name) => sourceFilePatterns['todo.txt'].test(name))).toEqual([
    'todo.txt',
    'a/done.txt',
  ]);
});
