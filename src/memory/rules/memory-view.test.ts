import { expect, test } from 'vitest';
import { rank } from '#core/rules/rank.ts';
import { deriveTitle, getMemoryRankKey, hashMemory } from './memory-view.ts';

test.each([
  ['Tokens are structs', 'Tokens are structs'],
  ['## Tokens are structs\n\nBecause', 'Tokens are structs'],
  ['\t- one\r\ntwo', 'one'],
  ['---', '---'],
  [`${'word '.repeat(30)}`, `${'word '.repeat(15).trim()}…`],
  ['字'.repeat(100), `${'字'.repeat(79)}…`],
])('derives the title of %j: %j', (content, title) => {
  expect(deriveTitle(content)).toBe(title);
});

test('hashes the same content of another type differently', () => {
  expect(hashMemory('decision', 'x')).not.toBe(hashMemory('pattern', 'x'));
  expect(hashMemory('decision', 'x')).toBe(hashMemory('decision', 'x'));
});

test('ranks accepted before proposed, rejected and superseded last, then the newest', () => {
  const entry = (id: string, state: 'proposed' | 'accepted' | 'rejected' | 'superseded', seq: number, title = 'Use the parser') => ({
    id,
    type: 'decision' as const,
    title,
    state,
    seq,
    labels: [],
  });
  const all = [
    entry('D-001', 'superseded', 1, 'Parser'),
    entry('D-002', 'proposed', 2),
    entry('D-003', 'accepted', 3, 'Use the parser that there is'),
    entry('D-004', 'rejected', 4),
    entry('D-005', 'proposed', 5),
  ];
  expect(rank([['parser']], false, all, getMemoryRankKey).map(({ id }) => id)).toEqual(['D-003', 'D-005', 'D-002', 'D-001', 'D-004']);
});
