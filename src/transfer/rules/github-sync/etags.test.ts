import { expect, test } from 'vitest';
import { addEtag, findEtag } from './etags.ts';

test('stores an ETag per token, and forgets those of others when the page changes', () => {
  const one = addEtag(undefined, { token: 'a', etag: 'W/"1"', isSamePage: false });
  const both = addEtag(one, { token: 'b', etag: 'W/"2"', isSamePage: true });
  expect([findEtag(both, 'a'), findEtag(both, 'b'), findEtag(both, 'c')]).toEqual(['W/"1"', 'W/"2"', undefined]);
  const changed = addEtag(both, { token: 'b', etag: 'W/"3"', isSamePage: false });
  expect([findEtag(changed, 'a'), findEtag(changed, 'b')]).toEqual([undefined, 'W/"3"']);
  expect(addEtag(both, { token: 'b', etag: undefined, isSamePage: false })).toBeUndefined();
});

test('stores those of the last eight tokens', () => {
  let stored: string | undefined;
  for (let i = 0; i < 12; i += 1) stored = addEtag(stored, { token: `t${i}`, etag: `e${i}`, isSamePage: true });
  expect([findEtag(stored, 't3'), findEtag(stored, 't4'), findEtag(stored, 't11')]).toEqual([undefined, 'e4', 'e11']);
});

test('the text of an earlier version is not an ETag of any token', () => expect(findEtag('W/"abc"', 'a')).toBeUndefined());
