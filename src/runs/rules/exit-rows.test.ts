import { expect, test } from 'vitest';
import { meaningOf } from './exit-class.ts';
import { exitRows } from './exit-rows.ts';

test('the table names every code once', () => {
  const all = Array.from({ length: 256 }, (_, code) => code);
  const rows = exitRows();
  const told = rows.flatMap(({ codes, class: exitClass, status }) =>
    codes.split(', ').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return all.slice(first, last + 1).map((code) => ({ code, class: exitClass, status }));
    }),
  );
  expect(told.sort((one, other) => one.code - other.code)).toEqual(
    all.map((code) => ({ code, class: meaningOf(code).class, status: meaningOf(code).status })),
  );
  expect(rows.at(-1)).toMatchObject({ codes: '129-192', name: 'signal' });
});
