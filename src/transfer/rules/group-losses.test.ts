import { expect, test } from 'vitest';
import { groupLosses } from './group-losses.ts';

test('groups losses by kind, the rare ones first, with three examples each', () => {
  const losses = [
    ...['bd-a', 'bd-b', 'bd-c', 'bd-d'].map((id) => ({ id, field: 'status', why: `done, but it contains ${id}.1, which is not` })),
    { id: 'bd-e', field: 'due', why: '"soon" is not a date' },
    { id: 'bd-f', field: 'status', why: 'done, but it contains bd-zry, which is not' },
  ];
  expect(groupLosses(losses)).toEqual([
    { field: 'due', why: '"soon" is not a date', count: 1, examples: ['bd-e'] },
    { field: 'status', why: 'done, but it contains …, which is not', count: 5, examples: ['bd-a', 'bd-b', 'bd-c'] },
  ]);
});

test('records that a reader has counted count as often, and lines of a file are one kind', () => {
  const losses = [
    ...[3, 7].map((line) => ({ id: `entry ${line}`, field: 'task', why: `line ${line}: it is not valid JSON; skipped` })),
    { id: '*', field: 'task', why: '5 left out: agent, which bd does not count as work' },
  ];
  expect(groupLosses(losses)).toEqual([
    { field: 'task', why: 'it is not valid JSON; skipped', count: 2, examples: ['entry 3', 'entry 7'] },
    { field: 'task', why: 'left out: agent, which bd does not count as work', count: 5, examples: ['*'] },
  ]);
});
