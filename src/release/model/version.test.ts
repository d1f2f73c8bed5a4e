import { expect, test } from 'vitest';
import { parseVersion } from './version.ts';

test.each([
  ['v1.0.0', 'v1.0.0', true],
  ['1.2.3', 'v1.2.3', true],
  ['0.0.1-rc.1', 'v0.0.1-rc.1', true],
  ['v1.0.0-alpha-1.x.7+build.5', 'v1.0.0-alpha-1.x.7+build.5', true],
  ['2026.11', 'v2026.11', false],
  ['2026.11.15', 'v2026.11.15', true],
  ['v2026.01.05', 'v2026.01.05', false],
  ['2026.11.15.2', 'v2026.11.15.2', false],
  ['24.04', 'v24.04', false],
  ['2026.3-rc1', 'v2026.3-rc1', false],
])('parses %s', (text, tag, isSemVer) => {
  expect(parseVersion(text)).toEqual({ tag, plain: tag.slice(1), isSemVer });
});

test.each([
  '',
  'v',
  'one',
  '1',
  '1.0',
  'v01.0.0',
  '1.0.0.0',
  '1.0.0-',
  '1.0.0-01',
  '1.0.0+',
  '2026.13',
  '1999.1',
  'v1.0.0; rm -rf',
  'v1.0.0;rm',
  'v1.0.0 ',
  ' v1.0.0',
  'v1.0.0\n',
  '--upload-pack=x',
  '-v1.0.0',
  'vv1.0.0',
  '1.0.0-$(x)',
  '1.0.0-`x`',
  '1.0.0/../x',
  '1.0.0-a..b',
  '1.0.0-a.lock',
  '2026.11-a.lock',
  'HEAD',
  '1.0.0-é',
  `1.0.0-${'a'.repeat(100)}`,
])('rejects %j', (text) => {
  expect(parseVersion(text)).toBeUndefined();
});

test('rejects a long near-version quickly', () => {
  const began = performance.now();
  expect(parseVersion(`1.0.0-${'0'.repeat(50_000)}`)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(50);
});
