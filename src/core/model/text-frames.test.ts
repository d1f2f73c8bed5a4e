import { expect, test } from 'vitest';
import { findLongTexts, placeText } from './text-frames.ts';

const text = { chunks: () => ['long'] };

test('finds long texts at any depth, and puts others in their place', () => {
  const params = {
    from: 'beads',
    content: [
      { name: 'a', text: 'short' },
      { name: 'b', text },
    ],
    limit: 1,
  };
  expect(findLongTexts(params)).toEqual([{ path: ['content', 1, 'text'], text }]);
  expect(findLongTexts({ content: text })).toEqual([{ path: ['content'], text }]);
  const sent = JSON.parse(JSON.stringify(params)) as typeof params;
  expect(placeText(sent, ['content', 1, 'text'], text)).toBe(true);
  expect(sent).toEqual(params);
});

test.each([
  ['no list', 'content'],
  ['an empty path', []],
  ['a place that does not exist', ['content', 7, 'text']],
  ['what every object inherits', ['__proto__', 'chunks']],
  ['a constructor', ['constructor']],
])('a path leads nowhere: %s', (_, path) => {
  const params = { content: [{ text: '' }] };
  expect(placeText(params, path, text)).toBe(false);
  expect(params).toEqual({ content: [{ text: '' }] });
});
