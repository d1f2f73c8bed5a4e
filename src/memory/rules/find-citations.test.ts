import { expect, test } from 'vitest';
import { findCitations } from './find-citations.ts';

test.each([
  ['follows D-001', ['D-001']],
  ['D-001, O-012 and (L-1000); D-001 again', ['D-001', 'O-012', 'L-1000']],
  ['nach D-001-Art', ['D-001']],
  ['[D-002](x.md) **P-003**.', ['D-002', 'P-003']],
  ['決定D-001', []],
  ['ADR-001 AD-001 xD-001 D-001x D-001_2 D-001-2 -D-001', []],
  ['d-001 D-1 D001 D-0001 D-000 T-001', []],
  ['', []],
])('finds in %j: %j', (text, cited) => {
  expect(findCitations(text)).toEqual(cited);
});
