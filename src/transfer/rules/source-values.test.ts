import { expect, test } from 'vitest';
import { addUnmappedFields, normalizeLabels, parseTime, toTaskLabel } from './source-values.ts';

test.each([
  ['20260131T120000Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31 12:05', '2026-01-31T12:05:00.000Z'],
  ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T23:30:00-0100', '2026-02-01T00:30:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29', undefined],
  ['2026-13-01', undefined],
  ['2026-01-31T24:00:00Z', undefined],
  ['0000-00-00', undefined],
  ['yesterday', undefined],
  ['', undefined],
  [7, undefined],
  [undefined, undefined],
])('parses %s as the time %s', (value, expected) => {
  expect(parseTime(value)).toBe(expected);
});

test.each([
  ['Good First Issue', 'good-first-issue'],
  ['Priority: High!', 'priority:high'],
  ['Überfällig', 'uberfallig'],
  ['area/ UI _x', 'area/ui-_x'],
  ['标签', undefined],
  ['---', undefined],
  ['', undefined],
  ['x'.repeat(60), 'x'.repeat(50)],
  ['-'.repeat(1_000_000), undefined],
])('converts %.20s to the label %s', (text, expected) => {
  expect(toTaskLabel(text)).toBe(expected);
});

test('reports labels that are cut or dropped', () => {
  const losses: string[] = [];
  expect(normalizeLabels(['A', 'a', '标', 'x'.repeat(51)], (field, why) => losses.push(`${field} ${why}`))).toEqual(['a', 'x'.repeat(50)]);
  expect(losses).toHaveLength(2);
});

test('appends unmapped fields to the description', () => {
  expect(addUnmappedFields('', 'X', [])).toEqual({});
  expect(addUnmappedFields(' a \n', 'X', [['due', 'b']])).toEqual({ description: 'a\n\nFrom X:\n- due: b' });
});
