import { expect, test } from 'vitest';
import { createGlobMatcher, getGlobBase, isGlob } from './glob.ts';

test.each<[string, string[], string[]]>([
  ['context/*.md', ['context/a.md', 'context/.md'], ['context/a/b.md', 'a.md', 'context/amd']],
  ['docs/**/*.md', ['docs/a.md', 'docs/x/y/a.md'], ['docs/a.txt', 'doc/a.md']],
  ['docs/**', ['docs/a', 'docs/a/b'], ['docs', 'other/docs/a']],
  ['src/?.ts', ['src/a.ts'], ['src/ab.ts', 'src//.ts']],
  ['{a,b}/x', ['a/x', 'b/x'], ['c/x', 'a,b/x']],
  ['v[0-9].txt', ['v1.txt'], ['vx.txt', 'v/.txt']],
  ['v[!0-9].txt', ['vx.txt'], ['v1.txt', 'v/.txt']],
  ['a+(b).$', ['a+(b).$'], ['aab']],
])('%s matches paths', (pattern, hits, misses) => {
  const matches = createGlobMatcher(pattern);
  expect(hits.filter((path) => !matches(path))).toEqual([]);
  expect(misses.filter(matches)).toEqual([]);
});

test.each(['*'.repeat(100), '*a'.repeat(100), '**/'.repeat(60), `${'{a,b}'.repeat(20)}`, '[!x]*'.repeat(50)])(
  'matches in linear time: %s',
  (pattern) => {
    const before = performance.now();
    for (const path of ['a'.repeat(3000), 'a/'.repeat(1500)]) createGlobMatcher(`${pattern}b`)(path);
    expect(performance.now() - before).toBeLessThan(2000);
  },
);

test('finds the folder in front of the first wildcard', () => {
  expect([getGlobBase('a/b/*.md'), getGlobBase('*.md'), getGlobBase('a/b.md')]).toEqual(['a/b', '', 'a/b.md']);
  expect([isGlob('a/b.md'), isGlob('a/*'), isGlob('{a,b}')]).toEqual([false, true, true]);
});
