import { expect, test } from 'vitest';
import { findNearest } from './nearest.ts';

const known = ['add', 'add-batch', 'archive', 'complete', 'description', 'delete', 'deps', 'done', 'list', 'show', 'start', 'stop'];

test.each([
  { name: 'shwo', near: ['show'] },
  { name: 'SHOW', near: ['show', 'stop'] },
  { name: 'complet', near: ['complete'] },
  { name: 'desc', near: ['deps', 'description'] },
  { name: 'ad', near: ['add'] },
  { name: 'adb', near: ['add'] },
  { name: 'lst', near: ['list'] },
  { name: 'deleet', near: ['delete'] },
  { name: 'xyzzy', near: [] },
  { name: '', near: [] },
  { name: 'x'.repeat(10_000), near: [] },
])('nearest to $name', ({ name, near }) => {
  expect(findNearest(name, known)).toEqual(near);
});

test('the better before the worse, equals by name, and no more than asked for', () => {
  expect(findNearest('start', ['stars', 'start', 'smart', 'tart'])).toEqual(['start', 'smart', 'stars']);
  expect(findNearest('start', ['stars', 'start', 'smart', 'tart'], 1)).toEqual(['start']);
});
