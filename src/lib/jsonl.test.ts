import { expect, test } from 'vitest';
import { checkJsonLines } from './jsonl.ts';

test.each([
  { why: 'empty', text: '', state: { bad: [] } },
  { why: 'whole', text: '{"a":1}\n[2]\n', state: { bad: [] } },
  { why: 'a blank line', text: '{"a":1}\n\n{"b":2}\n', state: { bad: [] } },
  { why: 'torn in the middle of a value', text: '{"a":1}\n{"b":', state: { bad: [], torn: '{"b":' } },
  { why: 'whole but for its end', text: '{"a":1}', state: { bad: [], isUnended: true } },
  { why: 'a mark before the first, other line ends', text: '\ufeff{"a":1}\r\n{"b":2}\r\n', state: { bad: [] } },
  { why: 'a bad line among good ones', text: '{"a":1}\noops\n{"b":2}\n', state: { bad: [2] } },
])('$why', ({ text, state }) => {
  expect(checkJsonLines(text)).toEqual(state);
});
