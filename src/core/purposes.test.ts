import { expect, test } from 'vitest';
import { registry } from './index.generated.ts';
import { groupByPurpose } from './purposes.ts';

test('every namespace of operations has a purpose', () => {
  const titles = groupByPurpose(registry.entries).map(([title]) => title);
  expect(titles.filter((title) => !title.includes(' '))).toEqual([]);
  expect(groupByPurpose(registry.entries).flatMap(([, members]) => members)).toHaveLength(registry.entries.length);
});

test('a namespace without a purpose comes last, and empty purposes are left out', () => {
  expect(groupByPurpose([{ name: 'other.x' }, { name: 'tasks.add' }])).toEqual([
    ['Plan and do work', [{ name: 'tasks.add' }]],
    ['other', [{ name: 'other.x' }]],
  ]);
});
