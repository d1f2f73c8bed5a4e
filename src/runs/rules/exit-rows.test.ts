import { expect, test } from 'vitest';
import { listExitRows } from './exit-rows.ts';
import { explainExit } from './skill-contract.ts';

test('lists every code once', () => {
  const all = Array.from({ length: 256 }, (_, code) => code);
  const rows = listExitRows();
  const expanded = rows.flatMap(({ codes, class: exitClass, status }) =>
    codes.split(', ').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return all.slice(first, last + 1).map((code) => ({ code, class: exitClass, status }));
    }),
  );
  expect(expanded.sort((one, other) => one.code - other.code)).toEqual(
    all.map((code) => ({ code, class: explainExit(code).class, status: explainExit(code).status })),
  );
  expect(rows.at(-1)).toMatchObject({ codes: '129-192', name: 'signal' });
});
