import { expect, test } from 'vitest';
import { createScreen, drawTable, formatTime, measureWidth, setLocalTime } from './index.ts';
import { prepareWidths } from './text.ts';

const titles = ['Write the grammar', '配方解析器 reads recipes of cooks', '🍳 '.repeat(30), 'x'.repeat(200)];
const tasks = titles.map((title, i) => ({
  id: `T${1000 + i}`,
  title,
  status: i === 0 ? 'done' : 'pending',
  type: 'task',
  priority: 'critical',
  parentId: 'T001',
  labels: ['one', 'two'],
  depends: ['T001', 'T002'],
}));

test.each([40, 60, 80, 120])('a list of tasks fits %d columns and keeps the titles', async (columns) => {
  await prepareWidths(titles.join());
  for (const records of [tasks, tasks.slice(0, 1), tasks.slice(1, 3)]) {
    const lines = drawTable(records, createScreen({ columns, hasColour: false })) ?? [];
    expect(lines[0]).toContain('TITLE');
    for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
    for (const { id } of records) expect(lines.filter((line) => line.startsWith(id))).toHaveLength(1);
  }
});

test('a narrow list uses the whole width for titles once other columns are gone', () => {
  const lines = drawTable(tasks.slice(3), createScreen({ columns: 40, hasColour: false })) ?? [];
  expect(lines[1]).toHaveLength(40);
});

test('done tasks are dim', () => {
  const [, done, open] = drawTable(tasks.slice(0, 2), createScreen({ columns: 80, hasColour: true })) ?? [];
  expect(done).toContain('\u001b[2mT1000\u001b[22m');
  expect(open).toContain('\u001b[36mT1001\u001b[39m');
});

test('times are in UTC, or in the zone of the user', () => {
  const at = '2026-07-01T22:30:00.000Z';
  const zone = process.env.TZ;
  try {
    process.env.TZ = 'Europe/Berlin';
    setLocalTime(false);
    expect(formatTime(at)).toBe('2026-07-01 22:30');
    setLocalTime(true);
    expect(formatTime(at)).toBe('2026-07-02 00:30');
    expect(formatTime('2026-13-01T22:30:00.000Z')).toBe('2026-13-01 22:30');
  } finally {
    setLocalTime(false);
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});
