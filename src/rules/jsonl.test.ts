import { expect, test } from 'vitest';
import { linesState } from './jsonl.ts';

test.each([
  { why: 'empty', text: '', state: { bad: [] } },
  { why: 'whole', text: '{"a":1}\n[2]\n', state: { bad: [] } },
  { why: 'a blank line', text: '{"a":1}\n\n{"b":2}\n', state: { bad: [] } },
  { why: 'torn in the middle of a value', text: '{"a":1}\n{"b":', state: { bad: [], torn: '{"b":' } },
  { why: 'torn before the newline', text: '{"a":1}', state: { bad: [], torn: '{"a":1}' } },
  { why: 'a bad line among good ones', text: '{"a":1}\noops\n{"b":2}\n', state: { bad: [2] } },
])('$why', ({ text, state }) => {
  expect(linesState(text)).toEqual(state);
});
