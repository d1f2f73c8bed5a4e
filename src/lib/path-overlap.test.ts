import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGlobMatcher } from './glob.ts';
import { createPathIndex, isBroader, isOverlapping, normalizePath } from './path-overlap.ts';

test.each([
  ['./src/a.ts', 'src/a.ts'],
  ['src//a/', 'src/a'],
  ['.\\src\\b\\..\\a.ts', 'src/a.ts'],
  ['.', ''],
  ['a/../..', '..'],
  ['../../a', '../../a'],
  ['/a//b/', '/a/b'],
  ['/', '/'],
])('normalizes %s to %j', (path, expected) => {
  expect(normalizePath(path)).toBe(expected);
});

test.each([
  ['a.ts', 'a.ts', true],
  ['src', 'src/a.ts', true],
  ['src', 'srcs/a.ts', false],
  ['', 'a.ts', true],
  ['', '../a.ts', false],
  ['', '**/*.ts', true],
  ['/', '/a', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/b/a.ts', false],
  ['src/*/a.ts', 'src/b', true],
  ['src/**', 'src/b/a.ts', true],
  ['**', 'a', true],
  ['src/[ab].ts', 'src/a.ts', true],
  ['src/[ab].ts', 'src/c.ts', false],
  ['src/*.ts', 'src/a*', true],
  ['src/a*', 'src/b*', false],
  ['src/**/x.ts', '**/y/x.ts', true],
  ['src/**/x.ts', 'lib/**', false],
  ['{a,b}/x', '{b,c}/x', true],
  ['{a,b}/x', '{c,d}/x', false],
])('%s and %s overlap: %s', (a, b, expected) => {
  expect([isOverlapping(a, b), isOverlapping(b, a)]).toEqual([expected, expected]);
});

const name = fc.constantFrom('a', 'b', 'ab', 'a.ts', 'b.ts');
const pattern = fc
  .array(fc.constantFrom('a', 'b', '**', '*', 'a*', '*.ts', '?', '[ab]', '{a,b}', 'a.ts'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));

test('patterns that match one file always overlap', () => {
  fc.assert(
    fc.property(pattern, pattern, fc.array(name, { minLength: 1, maxLength: 4 }), (a, b, names) => {
      const path = names.join('/');
      if (!createGlobMatcher(a)(path)) return;
      expect(isOverlapping(a, path)).toBe(true);
      if (createGlobMatcher(b)(path)) expect(isOverlapping(a, b)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('the index finds the same overlaps as comparing all pairs', () => {
  const path = fc.oneof(
    pattern,
    fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
    fc.constantFrom('.', '..', '/', '/a', '../a', '../**', '/a/*'),
  );
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
      const all = createPathIndex(paths, () => undefined).list();
      for (const entry of all)
        expect(entry.overlaps.map((other) => other.path).sort()).toEqual(
          all
            .filter((other) => other !== entry && isOverlapping(other.path, entry.path))
            .map((other) => other.path)
            .sort(),
        );
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['src', 'src/a.ts', true],
  ['', 'src', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src', 'src/**', true],
  ['src/*', 'src/*.ts', true],
])('%s is broader than %s', (a, b, expected) => {
  expect([isBroader(a, b), isBroader(b, a)]).toEqual([expected, !expected]);
});
