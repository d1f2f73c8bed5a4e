import { expect, test } from 'vitest';
import { findServerAddressProblem, isSameMajor } from './server-address.ts';

test.each([
  ['https://cleo.example.com', false, undefined],
  ['https://cleo.example.com/team', false, undefined],
  ['http://127.0.0.1:4800', false, undefined],
  ['http://localhost:4800', false, undefined],
  ['http://[::1]:4800', false, undefined],
  ['http://cleo:4800', true, undefined],
  ['http://cleo:4800', false, 'must begin with https'],
  ['https://ada:secret@cleo.example.com', true, 'must not contain a name or password'],
  ['https://cleo.example.com/?a=1', true, 'must not contain a query'],
  ['ftp://cleo.example.com', true, 'must be an address'],
  ['cleo.example.com', true, 'must be an address'],
])('%s, own configuration %s: %s', (address, isOwn, problem) => {
  const found = findServerAddressProblem(address, isOwn);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test.each([
  ['1.2.3', '1.9.0', true],
  ['1.2.3', '2.0.0', false],
  ['0.1.0', '0.0.0-test', true],
])('versions %s and %s understand each other: %s', (one, other, expected) => {
  expect(isSameMajor(one, other)).toBe(expected);
});
