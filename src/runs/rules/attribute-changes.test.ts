import { expect, test } from 'vitest';
import type { TreeSnapshot } from '../model/tree.ts';
import { type AttributedChanges, createAttribution, endSkill, startSkill } from './attribute-changes.ts';

/** `a1 b2`: a file a of size 1 and a file b of size 2. */
const tree = (files: string, isCoarse = false): TreeSnapshot => ({
  files: new Map(
    files
      .split(' ')
      .filter(Boolean)
      .map((one) => [one[0]!, { size: Number(one.slice(1)), mtimeMs: 0, ctimeMs: 0 }]),
  ),
  isCoarse,
});

/** `+x a1`: x starts with this tree; `-x a1 !a`: x ends and claims a. */
function replay(steps: string[], isCoarse = false): Record<string, AttributedChanges> {
  const attribution = createAttribution();
  const ended: Record<string, AttributedChanges> = {};
  for (const step of steps) {
    const [who = '', ...rest] = step.split(' ');
    const [files, claims] = [rest.filter((one) => one[0] !== '!'), rest.filter((one) => one[0] === '!').map((one) => one.slice(1))];
    const now = tree(files.join(' '), isCoarse);
    if (who[0] === '+') startSkill(attribution, who.slice(1), now);
    else ended[who.slice(1)] = endSkill(attribution, who.slice(1), now, claims);
  }
  return ended;
}

test.each<[string, string[], Record<string, string[]>]>([
  ['one skill alone', ['+x', '-x a1'], { x: [] }],
  ['two skills, one after the other', ['+x', '-x a1', '+y a1', '-y a2'], { x: [], y: [] }],
  ['a change before the other started', ['+x', '+y a1', '-x a1', '-y a1'], { x: [], y: [] }],
  ['a change after the other ended', ['+x', '+y', '-x', '-y a1'], { x: [], y: [] }],
  ['a change while both ran', ['+x', '+y', '-x a1', '-y a1'], { x: ['y'], y: ['x'] }],
  ['a change while three ran', ['+x', '+y', '+z', '-x a1', '-y a1', '-z a1'], { x: ['y', 'z'], y: ['x', 'z'], z: ['x', 'y'] }],
  ['a change that one of them claims', ['+x', '+y', '-x a1 !a', '-y a1'], { x: [], y: ['x'] }],
])('lists the other possible writers of a file: %s', (_, steps, others) => {
  const ended = replay(steps);
  expect(Object.fromEntries(Object.entries(ended).map(([name, { others: of }]) => [name, of('a')]))).toEqual(others);
});

test('a claim holds until the file changes again', () => {
  expect(replay(['+x', '+y', '-x a1 !a', '-y a1']).y!.isClaimedByOther('a')).toBe(true);
  expect(replay(['+x', '+y', '-x a1 !a', '-y a2']).y!.isClaimedByOther('a')).toBe(false);
  expect(replay(['+x', '+y', '-x a1 !a', '-y a1 !a']).y!.isClaimedByOther('a')).toBe(false);
  expect(replay(['+x', '+y', '-x a1 !a', '-y a1']).x!.isClaimedByOther('a')).toBe(false);
});

test('without a full scan every parallel skill may have written a file', () => {
  const { x, z } = replay(['+x', '+y', '-y', '+z', '-x', '-z'], true);
  expect([x!.others('a'), z!.others('a')]).toEqual([['y', 'z'], ['x']]);
});
