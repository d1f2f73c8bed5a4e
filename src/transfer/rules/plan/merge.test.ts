import { expect, test } from 'vitest';
import { createPlanState, createPlanTask, editPlanTask, planNoon } from '../../../../test/plan-tasks.ts';
import { compareVersions, mergePlans, mergeRecords, uniteRecords } from './merge.ts';

const base = createPlanTask('a1a1', 'u1', 'T001');
const edit = (replica: string, ms: number, title: string) =>
  editPlanTask(base, createPlanState('u1', 'T001'), replica, planNoon + ms, { title });
const listTitles = ({ entries }: typeof base) => entries.filter(({ field }) => field === 'title').map(({ value }) => value);

test.each([
  ['1.0', '1.0', 0],
  ['1.2', '1.10', -1],
  ['2.0', '1.10', 1],
  ['1.1', '1', 1],
])('compares the versions %s and %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});

test('merged records have the newer version, the older creation and everything that is unknown here', () => {
  const [old, recent] = [
    { ...base, version: '1.9', extra: { a: 1, b: 1 } },
    { ...createPlanTask('b2b2', 'u1', 'T009', {}, planNoon + 1), version: '1.10', extra: { b: 2, c: 3 } },
  ];
  for (const merged of [mergeRecords(old, recent), mergeRecords(recent, old)])
    expect(merged).toMatchObject({ version: '1.10', created: { id: 'T001' }, origin: old.origin, extra: { a: 1, b: 2, c: 3 } });
});

test('of two values with the same stamp, both orders choose the same', () => {
  const other = { ...base, entries: base.entries.map((entry) => (entry.field === 'title' ? { ...entry, value: 'By hand' } : entry)) };
  expect(listTitles(mergeRecords(base, other))).toEqual(listTitles(mergeRecords(other, base)));
  expect(listTitles(mergeRecords(base, other))).toEqual(['Task u1']);
});

test('a value that the other side has replaced is gone, and uniting both sides of a conflict brings it back', () => {
  const next = edit('b2b2', 1000, 'New');
  expect(listTitles(mergeRecords(base, next))).toEqual(['New']);
  expect(listTitles(mergeRecords(next, base))).toEqual(['New']);
  expect(listTitles(uniteRecords(base, next)).toSorted()).toEqual(['New', 'Task u1']);
  expect(listTitles(mergeRecords(next, edit('a1a1', 2000, 'Other'))).toSorted()).toEqual(['New', 'Other']);
});

test('plans are merged by uid', () => {
  const other = createPlanTask('b2b2', 'u2', 'T002');
  const merged = mergePlans(
    new Map([['u1', base]]),
    new Map([
      ['u1', edit('b2b2', 1, 'New')],
      ['u2', other],
    ]),
  );
  expect([...merged.keys()]).toEqual(['u1', 'u2']);
  expect(listTitles(merged.get('u1')!)).toEqual(['New']);
});
