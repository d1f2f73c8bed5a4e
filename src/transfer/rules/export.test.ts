import { expect, test } from 'vitest';
import type { Task } from '#tasks/model/task.ts';
import { exportText } from './export.ts';

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  type: 'task',
  title: `Task ${id}`,
  status: 'pending',
  priority: 'medium',
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

test('a line of JSON for each, or one document', () => {
  const lines = exportText(tasks, 'jsonl').split('\n').filter(Boolean);
  expect(lines.map((line) => JSON.parse(line))).toEqual(tasks);
  expect(JSON.parse(exportText(tasks, 'json'))).toEqual({ tasks });
  expect(exportText([], 'jsonl')).toBe('');
});

test('a cell is quoted where it must be, and never a formula', () => {
  const [, first, second] = exportText(tasks, 'csv').split('\r\n');
  expect(first).toMatch(/^T001,epic,"'=1\+1, ""x""",pending,medium,/);
  expect(second).toContain(',T003,');
});

test.each(['=1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x'])(
  '%j does not begin a formula in any column',
  (text) => {
    const [, row] = exportText(
      [task('T001', { title: text, description: text, labels: [text], blockedBy: text, files: [text] })],
      'csv',
    ).split(/\r\n(?=T|$)/);
    const cells = [...row!.matchAll(/"((?:[^"]|"")*)"|([^,]+)|(?<=,)(?=,|$)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect(cells.filter((cell) => cell.includes(text))).toEqual(Array(5).fill(`'${text}`));
  },
);

test('where a semicolon parts cells, a quoted one does not', () => {
  expect(exportText([task('T001', { title: 'a;=1+1' })], 'csv')).toContain(',"a;=1+1",');
});

test('marks of Markdown and HTML in a title are text', () => {
  const title = '<b> [x](y) ~~z~~ `c` &lt; $a$ # | \\';
  expect(exportText([task('T001', { title })], 'md')).toContain(
    '**T001** \\<b\\> \\[x\\](y) \\~\\~z\\~\\~ \\`c\\` \\&lt; \\$a\\$ \\# \\| \\\\',
  );
});

test('Markdown is a list of what is inside of what', () => {
  expect(exportText(tasks, 'md').split('\n').slice(2, 5)).toEqual([
    '- [ ] **T001** =1+1, "x"',
    '  - [x] **T002** Task T002 (after T003)',
    '- [ ] **T003** a \\*b\\* _blocked_',
  ]);
});
