import { expect, test } from 'vitest';
import { globBase, globMatcher, isGlob } from './glob.ts';

test.each<[string, string[], string[]]>([
  ['context/*.md', ['context/a.md', 'context/.md'], ['context/a/b.md', 'a.md', 'context/amd']],
  ['docs/**/*.md', ['docs/a.md', 'docs/x/y/a.md'], ['docs/a.txt', 'doc/a.md']],
  ['docs/**', ['docs/a', 'docs/a/b'], ['docs', 'other/docs/a']],
  ['src/?.ts', ['src/a.ts'], ['src/ab.ts', 'src//.ts']],
  ['{a,b}/x', ['a/x', 'b/x'], ['c/x', 'a,b/x']],
  ['v[0-9].txt', ['v1.txt'], ['vx.txt', 'v/.txt']],
  ['v[!0-9].txt', ['vx.txt'], ['v1.txt', 'v/.txt']],
  ['a+(b).$', ['a+(b).$'], ['aab']],
])('%s', (pattern, fits, misses) => {
  const matches = globMatcher(pattern);
  expect(fits.filter((path) => !matches(path))).toEqual([]);
  expect(misses.filter(matches)).toEqual([]);
});

test('stars in a row take no longer than one', () => {
  const before = performance.now();
  globMatcher(`${'*'.repeat(100)}b`)('a'.repeat(10_000));
  expect(performance.now() - before).toBeLessThan(500);
});

test('where to begin', () => {
  expect([globBase('a/b/*.md'), globBase('*.md'), globBase('a/b.md')]).toEqual(['a/b', '', 'a/b.md']);
  expect([isGlob('a/b.md'), isGlob('a/*'), isGlob('{a,b}')]).toEqual([false, true, true]);
});
