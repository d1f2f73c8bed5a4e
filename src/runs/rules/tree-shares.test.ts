import { expect, test } from 'vitest';
import type { Snapshot } from '../model/tree.ts';
import { begins, ends, noShares, type OwnTree } from './tree-shares.ts';

/** `a1 b2`: a file called a, of size 1, and one called b. */
const tree = (files: string, isCoarse = false): Snapshot => ({
  files: new Map(
    files
      .split(' ')
      .filter(Boolean)
      .map((one) => [one[0]!, { size: Number(one.slice(1)), mtimeMs: 0, ctimeMs: 0 }]),
  ),
  isCoarse,
});

/** `+x a1`: x begins when the tree is like that; `-x a1 !a`: it ends, and says that a is its own. */
function told(steps: string[], isCoarse = false): Record<string, OwnTree> {
  const shares = noShares();
  const ended: Record<string, OwnTree> = {};
  for (const step of steps) {
    const [who = '', ...rest] = step.split(' ');
    const [files, claims] = [rest.filter((one) => one[0] !== '!'), rest.filter((one) => one[0] === '!').map((one) => one.slice(1))];
    const now = tree(files.join(' '), isCoarse);
    if (who[0] === '+') begins(shares, who.slice(1), now);
    else ended[who.slice(1)] = ends(shares, who.slice(1), now, claims);
  }
  return ended;
}

test.each<[string, string[], Record<string, string[]>]>([
  ['alone', ['+x', '-x a1'], { x: [] }],
  ['one after the other', ['+x', '-x a1', '+y a1', '-y a2'], { x: [], y: [] }],
  ['before the other began', ['+x', '+y a1', '-x a1', '-y a1'], { x: [], y: [] }],
  ['after the other had ended', ['+x', '+y', '-x', '-y a1'], { x: [], y: [] }],
  ['while both ran', ['+x', '+y', '-x a1', '-y a1'], { x: ['y'], y: ['x'] }],
  ['while three ran', ['+x', '+y', '+z', '-x a1', '-y a1', '-z a1'], { x: ['y', 'z'], y: ['x', 'z'], z: ['x', 'y'] }],
  ['and one says that it did', ['+x', '+y', '-x a1 !a', '-y a1'], { x: [], y: ['x'] }],
])('who else may have written a file: %s', (_, steps, others) => {
  const ended = told(steps);
  expect(Object.fromEntries(Object.entries(ended).map(([name, { others: of }]) => [name, of('a')]))).toEqual(others);
});

test('what another says it wrote is the other one’s, until somebody changes it again', () => {
  expect(told(['+x', '+y', '-x a1 !a', '-y a1']).y!.isAnothers('a')).toBe(true);
  expect(told(['+x', '+y', '-x a1 !a', '-y a2']).y!.isAnothers('a')).toBe(false);
  expect(told(['+x', '+y', '-x a1 !a', '-y a1 !a']).y!.isAnothers('a')).toBe(false);
  expect(told(['+x', '+y', '-x a1 !a', '-y a1']).x!.isAnothers('a')).toBe(false);
});

test('where nobody looks at each file, everybody who ran beside may have written it', () => {
  const { x, z } = told(['+x', '+y', '-y', '+z', '-x', '-z'], true);
  expect([x!.others('a'), z!.others('a')]).toEqual([['y', 'z'], ['x']]);
});
