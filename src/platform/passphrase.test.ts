import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../test/temp-folder.ts';
import { createPassphrase } from './passphrase.ts';

const now = '2026-01-01T00:00:00.000Z';
const later = (seconds: number): string => new Date(Date.parse(now) + seconds * 1000).toISOString();

test('stores a hash that only its owner can read, and accepts only the passphrase', async () => {
  const home = join(createTempFolder(), 'home');
  const passphrase = createPassphrase(home);
  expect(passphrase.isSet()).toBe(false);
  expect(await passphrase.check('correct horse', now)).toBe(false);
  await passphrase.set('correct horse');
  expect(readFileSync(passphrase.path, 'utf8')).not.toContain('correct horse');
  if (process.platform !== 'win32') expect([statSync(home).mode & 0o777, statSync(passphrase.path).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(passphrase.isSet()).toBe(true);
  expect(await passphrase.check('correct horse', now)).toBe(true);
  expect(await passphrase.check('correct hors', now)).toBe(false);
  expect(await passphrase.check('', now)).toBe(false);
}, 30_000);

test('a new passphrase has another id and replaces the old one', async () => {
  const passphrase = createPassphrase(createTempFolder());
  await passphrase.set('correct horse');
  const id = passphrase.getId();
  await passphrase.set('battery staple');
  expect(passphrase.getId()).not.toBe(id);
  expect(await passphrase.check('correct horse', now)).toBe(false);
}, 30_000);

test('locks longer after every failure, and a right passphrase ends the lock', async () => {
  const home = createTempFolder();
  const passphrase = createPassphrase(home);
  await passphrase.set('correct horse');
  const lockAfter = (count: number): number => {
    writeFileSync(join(home, 'passphrase-failures.json'), JSON.stringify({ count, at: now }));
    return passphrase.getLockSeconds(now);
  };
  expect([0, 2, 3, 4, 6, 40].map(lockAfter)).toEqual([0, 0, 2, 4, 16, 900]);
  lockAfter(6);
  expect([passphrase.getLockSeconds(later(10)), passphrase.getLockSeconds(later(16)), passphrase.getLockSeconds(later(-60))]).toEqual([
    6, 0, 16,
  ]);
  expect(await passphrase.check('correct horse', now)).toBe(true);
  expect(passphrase.getLockSeconds(now)).toBe(0);
}, 30_000);

test.each(['', '{', '{"algorithm":"scrypt"}', '{"algorithm":"none","salt":"","hash":""}'])(
  'a damaged file %j sets no passphrase',
  async (text) => {
    const passphrase = createPassphrase(createTempFolder());
    writeFileSync(passphrase.path, text);
    expect([passphrase.isSet(), await passphrase.check('', now)]).toEqual([false, false]);
  },
);
