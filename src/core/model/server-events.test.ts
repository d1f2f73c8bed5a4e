import { expect, test } from 'vitest';
import { readServerEvents } from './server-events.ts';

test.each([
  ['a message with all fields', 'id: 7\nevent: change\ndata: {"a":1}\n\n', [{ id: '7', event: 'change', data: '{"a":1}' }], ''],
  [
    'several messages and the beginning of the next one',
    'data: 1\n\ndata: 2\n\nda',
    [
      { event: 'message', data: '1' },
      { event: 'message', data: '2' },
    ],
    'da',
  ],
  ['data in several lines', 'data: one\ndata: two\n\n', [{ event: 'message', data: 'one\ntwo' }], ''],
  ['a comment', ':\n\n: beat\n\n', [], ''],
  ['carriage returns', 'event: reset\r\ndata:1\r\n\r\n', [{ event: 'reset', data: '1' }], ''],
  ['nothing', '', [], ''],
])('reads %s', (_, text, events, rest) => {
  expect(readServerEvents(text)).toEqual({ events, rest });
});
