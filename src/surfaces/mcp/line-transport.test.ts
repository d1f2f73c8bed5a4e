import { expect, test } from 'vitest';
import { findId } from './line-transport.ts';

test.each([
  ['{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"x":"yyy', 8],
  ['{ "id" : "a\\"b" , "method"', 'a"b'],
  ['{"params":{"id":5},"id":-3,"x', -3],
  ['{"params":{"id":5,"text":"} \\"id\\":6,', undefined],
  ['{"id":12', undefined],
  ['{"id":{},"method":"ping",', undefined],
  ['{"id":null,"method"', undefined],
  ['not JSON', undefined],
])('finds the id in %s', (beginning, id) => {
  expect(findId(beginning)).toBe(id);
});
