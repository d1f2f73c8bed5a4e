import { isDeepStrictEqual as isEqual } from 'node:util';
import { array, maxLength, minLength, optional, pipe, safeParse, strictObject, string } from 'valibot';
import { expect, test } from 'vitest';
import { NewEntrySchema } from '#tasks/model/new-entry.ts';
import { largeArray, prepareAsIsCheck } from './large-array.ts';

const values: [string, unknown, boolean][] = [
  ['a title', { title: 'a' }, true],
  [
    'all kinds of fields',
    { ref: 'a', title: 'a', description: '', type: 'epic', labels: ['a'], depends: ['b'], parent: 'c', due: '3d' },
    true,
  ],
  ['a field without a value', { title: 'a', parent: undefined }, true],
  ['a title with spaces around it', { title: ' a ' }, false],
  ['an empty title', { title: '' }, false],
  ['a title that is too long', { title: 'a'.repeat(201) }, false],
  ['a control character', { title: 'a\nb' }, false],
  ['a missing title', { ref: 'a' }, false],
  ['a number', { title: 1 }, false],
  ['an unknown type', { title: 'a', type: 'story' }, false],
  ['an unknown key', { title: 'a', titel: 'b' }, false],
  ['an inherited name as a key', { title: 'a', constructor: 'b' }, false],
  ['a label that is no text', { title: 'a', labels: [1] }, false],
  ['a list', ['a'], false],
  ['no object', null, false],
];

test.each(values)('accepts %s only if parsing returns it unchanged', (_, value, isAccepted) => {
  expect(prepareAsIsCheck(NewEntrySchema)(value)).toBe(isAccepted);
  const parsed = safeParse(NewEntrySchema, value);
  expect(parsed.success && isEqual(parsed.output, value)).toBe(isAccepted);
});

test('parses what the check does not know', () => {
  const entry = { title: 'a', acceptance: ['It works'] };
  expect(prepareAsIsCheck(NewEntrySchema)(entry)).toBe(false);
  expect(safeParse(largeArray(NewEntrySchema), [entry])).toMatchObject({ success: true, output: [entry] });
});

test('adds a default value', () => {
  const schema = strictObject({ a: optional(string(), 'x') });
  expect(prepareAsIsCheck(schema)({})).toBe(false);
  expect(safeParse(largeArray(schema), [{}]).output).toEqual([{ a: 'x' }]);
});

test.each([[[{ title: 'a' }]], [[{ title: 'a' }, { title: ' b' }]], [[{ title: 'a' }, { titel: 'b' }]], [[]], ['a'], [undefined]])(
  'has the results and errors of an array: %j',
  (value) => {
    const limited = (schema: typeof plain) => pipe(schema, minLength(1, 'must not be empty'), maxLength(3, 'must have at most 3'));
    const plain = array(NewEntrySchema);
    const parse = (schema: typeof plain) => {
      const { success, output, issues } = safeParse(limited(schema), value);
      return { success, output, issues: issues?.map(({ message, path }) => [message, path?.map((one) => one.key)]) };
    };
    expect(parse(largeArray(NewEntrySchema))).toEqual(parse(plain));
  },
);

test('returns an accepted list itself', () => {
  const list = [{ title: 'a' }, { title: 'b' }];
  expect(safeParse(largeArray(NewEntrySchema), list).output).toBe(list);
});
