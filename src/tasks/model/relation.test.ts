import { expect, test } from 'vitest';
import { parseRelationType } from './relation.ts';

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
])('parses %j as %j', (text, type) => {
  expect(parseRelationType(text)).toBe(type);
});
