import { describe, expect, test } from 'vitest';
import type { FileRecordKind, SharedRecordState } from '../model/shared-records.ts';
import { arrangeLines, findReplacedLines, getRecordLimit, getRecordScope, planRecords } from './shared-records.ts';

const none = { save: [], remove: [], write: [], discard: [] };

describe('a record', () => {
  /** Hashes are letters; `-` is none. `before` is the file before the command; undefined while the command has not run. */
  test.each<[string, string, string, SharedRecordState | '-', string | undefined, Partial<Record<keyof typeof none, string[]>>]>([
    ['is stored if it was appended by hand', 'a', '-', '-', undefined, { save: ['r'] }],
    ['is stored if the command added it', 'a', '-', '-', '-', { save: ['r'] }],
    ['is written if the file is missing', '-', 'a', 'stored', undefined, { write: ['r'] }],
    ['is written if a colleague added it meanwhile', '-', 'a', 'stored', '-', { write: ['r'] }],
    ['is removed if the command removed it', '-', 'a', 'stored', 'a', { remove: ['r'] }],
    ['is left alone if both sides have it', 'a', 'a', 'stored', undefined, {}],
    ['is discarded if a colleague removed it', 'a', 'a', 'removed', undefined, { discard: ['r'] }],
    ['is discarded if a colleague removed it during the command', 'a', 'a', 'removed', 'a', { discard: ['r'] }],
    ['is stored again if the command brought it back', 'a', 'a', 'removed', '-', { save: ['r'] }],
    ['stays removed', '-', 'a', 'removed', undefined, {}],
    ['is not written if it is too large to be stored', '-', 'a', 'omitted', undefined, {}],
    ['is stored if the one in the store was too large', 'b', 'a', 'omitted', undefined, { save: ['r'] }],
    ['is stored if only the command changed it', 'b', 'a', 'stored', 'a', { save: ['r'] }],
    ['is written if only a colleague changed it', 'a', 'b', 'stored', 'a', { write: ['r'] }],
    ['is that of the store if both changed it', 'b', 'c', 'stored', 'a', { write: ['r'] }],
    ['is that of the store if it is not known who changed it', 'b', 'a', 'stored', undefined, { write: ['r'] }],
  ])('%s', (_, file, hash, state, before, expected) => {
    const toMap = (value: string): Map<string, string> => new Map(value === '-' ? [] : [['r', value]]);
    const plan = planRecords({
      local: toMap(file),
      stored: state === '-' ? [] : [{ name: 'r', hash, size: 1, state }],
      ...(before === undefined ? {} : { base: toMap(before) }),
      isContinued: () => false,
    });
    expect(plan).toEqual({ ...none, ...expected });
  });

  test('is stored if the file continues it', () => {
    const local = new Map([['r', 'b']]);
    const stored = [{ name: 'r', hash: 'a', size: 1, state: 'stored' as const }];
    expect(planRecords({ local, stored, isContinued: (name) => name === 'r' })).toEqual({ ...none, save: ['r'] });
  });
});

describe('lines', () => {
  const toLines = (text: string) => [...text].map((hash) => ({ hash, text: hash }));
  /** A capital is a line that was removed. */
  const toStored = (text: string) =>
    [...text].map((letter) => ({ hash: letter.toLowerCase(), text: letter, isRemoved: letter !== letter.toLowerCase() }));

  test.each([
    ['the same lines', 'ab', 'ab', 'ab'],
    ['a missing file', '', 'ab', 'ab'],
    ['a line of a colleague', 'a', 'ab', 'ab'],
    ['a line that was stored later than that of a colleague', 'b', 'ab', 'ab'],
    ['another order', 'ba', 'ab', 'ab'],
    ['a line that was removed', 'ab', 'aB', 'a'],
    ['a line that cannot be stored stays in its place', 'xbya', 'abc', 'xaybc'],
    ['a line twice', 'aab', 'ab', 'ab'],
    ['nothing', '', '', ''],
  ])('%s', (_, file, stored, expected) => {
    const { steps, append } = arrangeLines(toLines(file), toStored(stored));
    const kept = steps.map((step, i) => (step === 'keep' ? file[i] : step === 'drop' ? '' : step.text));
    expect([...kept, ...append].join('')).toBe(expected);
  });

  test.each([
    ['a changed line has the place of the one before', 'abc', 'axc', { x: 'b' }],
    ['an appended line replaces none', 'ab', 'abc', {}],
    ['a dropped line is replaced by none', 'ab', 'b', {}],
  ])('%s', (_, before, after, expected) => {
    const toMap = (text: string): Map<string, string> => new Map([...text].map((name) => [name, name]));
    expect(Object.fromEntries(findReplacedLines(toMap(before), toMap(after)))).toEqual(expected);
  });
});

test.each([
  [0, undefined],
  [1, '2026-02-28T00:00:00.000Z'],
  [90, '2025-12-01T00:00:00.000Z'],
])('contents are kept for %s days', (days, limit) => {
  expect(getRecordLimit('2026-03-01T00:00:00.000Z', days)).toBe(limit);
});

test.each<[string, FileRecordKind, 'save' | 'replace' | 'remove', string | undefined, string]>([
  ['an entry of the research', 'research', 'save', '{}', 'mutate'],
  ['an entry that is archived', 'research', 'remove', undefined, 'mutate'],
  ['a trace', 'runs', 'save', '{}', 'mutate'],
  ['the logs of a run', 'runs', 'remove', undefined, 'decide'],
  ['a claim of a review', 'reviews', 'save', '{"event":"review_claimed"}', 'mutate'],
  ['a verdict', 'reviews', 'save', '{"event":"review_resolved","verdict":"pass"}', 'decide'],
  ['another verdict', 'reviews', 'save', '{"event":"review_amended"}', 'decide'],
  ['a verdict in another event', 'reviews', 'save', '{"event":"review_claimed","verdict":"pass"}', 'decide'],
  ['text that is not an event', 'reviews', 'save', '[]', 'decide'],
  ['a review in place of another', 'reviews', 'replace', '{}', 'admin'],
  ['a review', 'reviews', 'remove', undefined, 'admin'],
  ['a grade', 'grades', 'remove', undefined, 'admin'],
  ['a grade in place of another', 'grades', 'replace', '{}', 'admin'],
])('%s: to change %s with %s needs the scope of the command that does it', (_, kind, action, content, scope) => {
  expect(getRecordScope({ kind, isRemoval: action === 'remove', isReplacement: action === 'replace', content })).toBe(scope);
});
