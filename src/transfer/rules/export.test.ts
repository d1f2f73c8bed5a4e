import { expect, test } from 'vitest';
import type { Task } from '#tasks/model/task.ts';
import { type ExportFormat, formatExport } from './export.ts';

const format = (tasks: Task[], name: ExportFormat): string => formatExport(tasks, name).content as string;
const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  type: 'task',
  title: `Task ${id}`,
  status: 'pending',
  priority: 'medium',
  uid: id,
  createdAt: 'c',
  createdBy: 'ada',
  updatedAt: 'u',
  revision: 1,
  ...more,
});
const tasks = [
  task('T001', { type: 'epic', title: '=1+1, "x"' }),
  task('T002', { parentId: 'T001', status: 'done', depends: ['T003'] }),
  task('T003', { status: 'blocked', title: 'a *b*' }),
];

test('writes JSON Lines or one JSON document', () => {
  const lines = format(tasks, 'jsonl').split('\n').filter(Boolean);
  expect(lines.map((line) => JSON.parse(line))).toEqual(tasks);
  expect(JSON.parse(format(tasks, 'json'))).toEqual({ tasks });
  expect(format([], 'jsonl')).toBe('');
});

test('quotes cells where necessary and never writes a formula', () => {
  const [, first, second] = format(tasks, 'csv').split('\r\n');
  expect(first).toMatch(/^T001,epic,"'=1\+1, ""x""",pending,medium,/);
  expect(second).toContain(',T003,');
});

test.each(['=1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x'])(
  '%j does not begin a formula in any column',
  (text) => {
    const [, row] = format([task('T001', { title: text, description: text, labels: [text], blockedBy: text, files: [text] })], 'csv').split(
      /\r\n(?=T|$)/,
    );
    const cells = [...row!.matchAll(/"((?:[^"]|"")*)"|([^,]+)|(?<=,)(?=,|$)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect(cells.filter((cell) => cell.includes(text))).toEqual(Array(5).fill(`'${text}`));
  },
);

test('quotes semicolons', () => {
  expect(format([task('T001', { title: 'a;=1+1' })], 'csv')).toContain(',"a;=1+1",');
});

test('escapes Markdown and HTML in titles', () => {
  const title = '<b> [x](y) ~~z~~ `c` &lt; $a$ # | \\';
  expect(format([task('T001', { title })], 'md')).toContain(
    '**T001** \\<b\\> \\[x\\](y) \\~\\~z\\~\\~ \\`c\\` \\&lt; \\$a\\$ \\# \\| \\\\',
  );
});

test('writes the hierarchy as a nested Markdown list', () => {
  expect(format(tasks, 'md').split('\n').slice(2, 5)).toEqual([
    '- [ ] **T001** =1+1, "x"',
    '  - [x] **T002** Task T002 (after T003)',
    '- [ ] **T003** a \\*b\\* _blocked_',
  ]);
});
