import { expect, test } from 'vitest';
import { createTimeWindow, groupMarks, listTicks, toPosition } from '../src/views/sessions/time-scale.ts';

const hourMs = 3_600_000;
const at = (time: string): number => Date.parse(`2026-03-01T${time}:00.000Z`);

test.each<[why: string, first: string, rangeMs: number | undefined, from: string]>([
  ['from the first entry', '08:00', undefined, '08:00'],
  ['only the range', '08:00', hourMs, '11:00'],
  ['from the first entry, if the range is longer', '11:30', hourMs, '11:30'],
  ['at least two minutes', '11:59', undefined, '11:58'],
])('a window shows %s', (_, first, rangeMs, from) => {
  expect(createTimeWindow(at(first), at('12:00'), rangeMs)).toEqual({ fromMs: at(from), toMs: at('12:00') });
});

test('a position is cut off at the ends of the window', () => {
  const window = { fromMs: at('10:00'), toMs: at('12:00') };
  expect(['09:00', '10:00', '11:00', '12:00', '13:00'].map((time) => toPosition(window, at(time)))).toEqual([0, 0, 50, 100, 100]);
});

test.each<[why: string, to: string, maxCount: number, offsetHours: number, times: string[]]>([
  ['hours', '12:30', 4, 0, ['10:00', '11:00', '12:00']],
  ['half hours', '11:00', 4, 0, ['09:30', '10:00', '10:30', '11:00']],
  ['hours of another zone', '15:10', 2, 2, ['10:00', '13:00']],
])('ticks are at round %s', (_, to, maxCount, offsetHours, times) => {
  const window = { fromMs: at('09:20'), toMs: at(to) };
  expect(listTicks(window, maxCount, offsetHours * hourMs)).toEqual({ ticks: times.map(at), isDays: false });
});

test('ticks of a long time are days, and never more than allowed', () => {
  for (const days of [3, 40, 400, 4000]) {
    const { ticks, isDays } = listTicks({ fromMs: 0, toMs: days * 24 * hourMs }, 5, 0);
    expect(isDays).toBe(true);
    expect(ticks.length).toBeLessThanOrEqual(6);
  }
});

test('marks that would overlap are one group', () => {
  expect(groupMarks([30, 1, 2, 10, 11, 3.5], (mark) => mark, 2.5)).toEqual([
    { position: 1, marks: [1, 2] },
    { position: 3.5, marks: [3.5] },
    { position: 10, marks: [10, 11] },
    { position: 30, marks: [30] },
  ]);
});
