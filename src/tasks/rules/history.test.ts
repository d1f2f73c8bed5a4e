import { expect, test } from 'vitest';
import { toHistoryEntry } from './history.ts';

const base = { at: '2026-01-01T00:00:00.000Z', by: 'tester' };

test.each([
  {
    name: 'other changes are unchanged',
    entry: { ...base, field: 'status', old: 'pending', new: 'active', reason: 'because' },
    expected: { ...base, field: 'status', old: 'pending', new: 'active', reason: 'because' },
  },
  {
    name: 'a deletion contains the title',
    entry: { ...base, field: 'deleted', old: { record: { title: 'Gone' }, notes: [] }, new: 'T002' },
    expected: { ...base, field: 'deleted', old: 'Gone' },
  },
  {
    name: 'a cascaded deletion names its root',
    entry: { ...base, field: 'deleted', old: { record: { title: 'Gone' } }, new: 'T001' },
    expected: { ...base, field: 'deleted', old: 'Gone', reason: 'deleted with T001' },
  },
])('$name', ({ entry, expected }) => {
  expect(toHistoryEntry('T002', entry)).toEqual(expected);
});
