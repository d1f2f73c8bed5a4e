import { expect, test } from 'vitest';
import { relationTypeOf } from './relation.ts';

test.each([
  ['blocks', 'blocks'],
  ['BLOCKS', 'blocks'],
  [' Related ', 'related'],
  ['relates-to', 'related'],
  ['Relates to', 'related'],
  ['related_to', 'related'],
  ['duplicate', 'duplicates'],
  ['duplicate of', 'duplicates'],
  ['extend', 'extends'],
  ['supersede', 'supersedes'],
  ['replaces', 'supersedes'],
  ['fix', 'fixes'],
  ['absorb', 'absorbs'],
  ['depends', undefined],
  ['', undefined],
  ['constructor', undefined],
])('%j is %j', (text, type) => {
  expect(relationTypeOf(text)).toBe(type);
});
