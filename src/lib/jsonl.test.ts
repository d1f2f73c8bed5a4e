import { expect, test } from 'vitest';
import { checkJsonLines } from './jsonl.ts';

test.each([
  { why: 'empty', text: '', state: { invalidLines: [] } },
  { why: 'complete', text: '{"a":1}\n[2]\n', state: { invalidLines: [] } },
  { why: 'a blank line', text: '{"a":1}\n\n{"b":2}\n', state: { invalidLines: [] } },
  { why: 'an incomplete last line', text: '{"a":1}\n{"b":', state: { invalidLines: [], torn: '{"b":' } },
  { why: 'no final line end', text: '{"a":1}', state: { invalidLines: [], lacksLineEnd: true } },
  { why: 'a byte order mark and Windows line ends', text: '\ufeff{"a":1}\r\n{"b":2}\r\n', state: { invalidLines: [] } },
  { why: 'an invalid line', text: '{"a":1}\noops\n{"b":2}\n', state: { invalidLines: [2] } },
])('checks a file: $why', ({ text, state }) => {
  expect(checkJsonLines(text)).toEqual(state);
});
