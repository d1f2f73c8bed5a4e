import { expect, test } from 'vitest';
import { findNearest } from './nearest.ts';

const known = ['add', 'add-batch', 'archive', 'complete', 'description', 'delete', 'deps', 'done', 'list', 'show', 'start', 'stop'];

test.each([
  { name: 'shwo', nearest: ['show'] },
  { name: 'SHOW', nearest: ['show', 'stop'] },
  { name: 'complet', nearest: ['complete'] },
  { name: 'desc', nearest: ['deps', 'description'] },
  { name: 'ad', nearest: ['add'] },
  { name: 'adb', nearest: ['add'] },
  { name: 'lst', nearest: ['list'] },
  { name: 'deleet', nearest: ['delete'] },
  { name: 'xyzzy', nearest: [] },
  { name: '', nearest: [] },
  { name: 'x'.repeat(10_000), nearest: [] },
])('finds the names nearest to $name', ({ name, nearest }) => {
  expect(findNearest(name, known)).toEqual(nearest);
});

test('sorts by distance, then by name, and respects the maximum', () => {
  expect(findNearest('start', ['stars', 'start', 'smart', 'tart'])).toEqual(['start', 'smart', 'stars']);
  expect(findNearest('start', ['stars', 'start', 'smart', 'tart'], 1)).toEqual(['start']);
});
