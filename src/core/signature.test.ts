import { array, boolean, metadata, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { expect, test } from 'vitest';
import { formatSignature, formatSignatures } from './signature.ts';

const format = (entries: Parameters<typeof strictObject>[0]): string =>
  formatSignature({ name: 'a.b', params: strictObject(entries) as never });

test.each([
  [{}, 'a.b {}'],
  [{ title: string(), note: optional(string()) }, 'a.b {title, note?}'],
  [{ depends: optional(array(string())), labels: array(string()) }, 'a.b {depends?[], labels[]}'],
  [{ limit: optional(number()), all: optional(boolean()) }, 'a.b {limit?: num, all?: bool}'],
  [{ size: optional(picklist(['small', 'large'])) }, 'a.b {size?: small|large}'],
  [{ gates: optional(array(picklist(['one', 'two']))) }, 'a.b {gates?[]: one|two}'],
  [{ many: picklist(['a'.repeat(20), 'b'.repeat(20)]) }, 'a.b {many}'],
  [{ scope: pipe(string(), metadata({ value: 'SCOPE', form: 'global|epic:T001' })) }, 'a.b {scope: global|epic:T001}'],
])('formats the parameters %#', (entries, signature) => {
  expect(format(entries)).toBe(signature);
});

test('formats several operations with the type of a parameter once', () => {
  const params = strictObject({ size: optional(picklist(['small', 'large'])), limit: optional(number()), all: boolean() });
  const other = strictObject({ size: picklist(['small', 'large']), all: boolean() });
  expect(formatSignatures([{ name: 'a.b', params } as never, { name: 'c.d', params: other } as never])).toEqual([
    'a.b {size?: small|large, limit?, all: bool}',
    'c.d {size, all}',
  ]);
});
