import { expect, test } from 'vitest';
import { shownChange } from './history.ts';

const base = { at: '2026-01-01T00:00:00.000Z', by: 'tester' };

test.each([
  {
    name: 'a change is shown as it is',
    entry: { ...base, field: 'status', old: 'pending', new: 'active', reason: 'because' },
    shown: { ...base, field: 'status', old: 'pending', new: 'active', reason: 'because' },
  },
  {
    name: 'a delete shows the title',
    entry: { ...base, field: 'deleted', old: { record: { title: 'Gone' }, notes: [] }, new: 'T002' },
    shown: { ...base, field: 'deleted', old: 'Gone' },
  },
  {
    name: 'a delete by cascade names its root',
    entry: { ...base, field: 'deleted', old: { record: { title: 'Gone' } }, new: 'T001' },
    shown: { ...base, field: 'deleted', old: 'Gone', reason: 'deleted with T001' },
  },
])('$name', ({ entry, shown }) => {
  expect(shownChange('T002', entry)).toEqual(shown);
});
