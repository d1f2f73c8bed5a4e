import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../test/temp-folder.ts';
import { createRegistryFile, findProjectAt, resolveFolder } from './registry.ts';

test('creates the file and its folder once', () => {
  const home = join(createTempFolder(), 'a', 'home');
  const file = createRegistryFile(home);
  expect(file.read()).toBeUndefined();
  expect([file.create('one'), file.create('two')]).toEqual([true, false]);
  expect(file.read()).toEqual({ text: 'one' });
});

test.each<[string, (path: string) => void, string]>([
  ['a folder', (path) => void mkdirSync(path), 'is not a regular file'],
  ['a pipe', (path) => void execFileSync('mkfifo', [path]), 'is not a regular file'],
  ['a broken link', (path) => symlinkSync(`${path}.gone`, path), 'is a broken link'],
  ['bytes that are not UTF-8', (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])), 'is not UTF-8'],
  [
    'a huge file',
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 17 << 20);
    },
    'is too large',
  ],
])('reports %s in its place and does not replace it', (_, put, problem) => {
  const home = createTempFolder();
  const file = createRegistryFile(home);
  put(file.path);
  expect(file.read()).toEqual({ problem });
  expect(file.create('mine')).toBe(false);
  expect(readdirSync(home)).toEqual(['nexus.json']);
});

test('writes the returned text atomically, and nothing without a text', () => {
  const file = createRegistryFile(createTempFolder());
  file.create('one');
  expect(file.update((found) => ({ text: `${(found as { text: string }).text} more`, result: 7 }))).toBe(7);
  expect(readFileSync(file.path, 'utf8')).toBe('one more');
  expect(() =>
    file.update(() => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(file.update((found) => ({ result: found }))).toEqual({ text: 'one more' });
  expect(existsSync(`${file.path}.lock`)).toBe(false);
});

test('does not create the folder for an update', () => {
  const home = join(createTempFolder(), 'none');
  expect(createRegistryFile(home).update((found) => ({ result: found }))).toBeUndefined();
  expect(existsSync(home)).toBe(false);
});

test('resolveFolder follows links, and findProjectAt does not search parent folders', () => {
  const top = createTempFolder();
  mkdirSync(join(top, 'web', '.cleo'), { recursive: true });
  mkdirSync(join(top, 'web', 'src'));
  symlinkSync(join(top, 'web'), join(top, 'link'));
  expect(resolveFolder(top, 'link')).toBe(join(top, 'web'));
  expect(resolveFolder(top, 'gone')).toBeUndefined();
  expect(findProjectAt(join(top, 'web'), join(top, 'home'))?.root).toBe(join(top, 'web'));
  expect(findProjectAt(join(top, 'web', 'src'), join(top, 'home'))).toBeUndefined();
  expect(findProjectAt(join(top, 'web'), join(top, 'web', '.cleo'))).toBeUndefined();
});
