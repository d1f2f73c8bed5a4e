import { expect, test } from 'vitest';
import { isLoopback, isOwnOrigin, isServedHost, splitHost, splitList } from './host-names.ts';

test.each([
  ['localhost:4800', { name: 'localhost', port: '4800' }],
  ['LOCALHOST', { name: 'localhost', port: '' }],
  ['127.0.0.1:80', { name: '127.0.0.1', port: '80' }],
  ['[::1]:4800', { name: '::1', port: '4800' }],
  ['example.org', { name: 'example.org', port: '' }],
  ['', undefined],
  ['a b', undefined],
  ['evil.example@localhost', undefined],
  ['localhost:4800:1', undefined],
  ['localhost/x', undefined],
  ['::1', undefined],
])('splits the host %j into %o', (text, parts) => {
  expect(splitHost(text)).toEqual(parts);
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['0.0.0.0', false],
  ['10.0.0.1', false],
])('loopback of %s: %s', (name, isIt) => {
  expect(isLoopback(name)).toBe(isIt);
});

test.each([
  ['localhost', '127.0.0.1', [], true],
  ['::1', '127.0.0.1', [], true],
  ['10.0.0.5', '127.0.0.1', [], false],
  ['evil.example', '127.0.0.1', [], false],
  ['board.example', '127.0.0.1', ['board.example'], true],
  ['10.0.0.5', '10.0.0.5', [], true],
  ['10.0.0.6', '10.0.0.5', [], false],
  ['10.0.0.6', '0.0.0.0', [], true],
  ['fe80::1', '::', [], true],
  ['evil.example', '0.0.0.0', [], false],
] as const)('%s of a server on %s that is also called %o: %s', (name, bound, others, isIt) => {
  expect(isServedHost(name, bound, [...others])).toBe(isIt);
});

const host = { name: 'localhost', port: '4800' };
test.each([
  ['http://localhost:4800', host, true],
  ['http://127.0.0.1:4800', host, true],
  ['http://[::1]:4800', host, true],
  ['http://localhost:3000', host, false],
  ['http://localhost', host, false],
  ['http://evil.example:4800', host, false],
  ['null', host, false],
  ['file://', host, false],
  ['', host, false],
  ['http://localhost:4800/path', host, false],
  ['https://board.example', { name: 'board.example', port: '' }, true],
  ['http://board.example', { name: 'board.example', port: '' }, true],
  ['http://board.example:80', { name: 'board.example', port: '' }, true],
  ['https://board.example:8443', { name: 'board.example', port: '' }, false],
])('origin %s for host %o is allowed: %s', (origin, asked, isIt) => {
  expect(isOwnOrigin(origin, asked)).toBe(isIt);
});

test('splits a list with blanks and empty items', () => {
  expect(splitList(' A.example , ,b.example,')).toEqual(['a.example', 'b.example']);
  expect(splitList('')).toEqual([]);
});
