import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../../test/temporary.ts';
import { projectAt, realFolder, registryFile } from './registry.ts';

test('it is made with its folder, once', () => {
  const home = join(temporary(), 'a', 'home');
  const file = registryFile(home);
  expect(file.read()).toBeUndefined();
  expect([file.create('one'), file.create('two')]).toEqual([true, false]);
  expect(file.read()).toEqual({ text: 'one' });
});

test.each<[string, (path: string) => void, string]>([
  ['a folder', (path) => void mkdirSync(path), 'is not a plain file'],
  ['a pipe', (path) => void execFileSync('mkfifo', [path]), 'is not a plain file'],
  ['a link that leads nowhere', (path) => symlinkSync(`${path}.gone`, path), 'is a link that leads nowhere'],
  ['bytes that are no text', (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])), 'is not UTF-8'],
  [
    'far too much',
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 17 << 20);
    },
    'is far too large',
  ],
])('%s in its place is told, and nothing is made', (_, put, problem) => {
  const home = temporary();
  const file = registryFile(home);
  put(file.path);
  expect(file.read()).toEqual({ problem });
  expect(file.create('mine')).toBe(false);
  expect(readdirSync(home)).toEqual(['nexus.json']);
});

test('a change is written whole, and what is not changed is not written', () => {
  const file = registryFile(temporary());
  file.create('one');
  expect(file.change((found) => ({ text: `${(found as { text: string }).text} more`, result: 7 }))).toBe(7);
  expect(readFileSync(file.path, 'utf8')).toBe('one more');
  expect(() =>
    file.change(() => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(file.change((found) => ({ result: found }))).toEqual({ text: 'one more' });
  expect(existsSync(`${file.path}.lock`)).toBe(false);
});

test('without a folder there is nothing to lock', () => {
  const home = join(temporary(), 'none');
  expect(registryFile(home).change((found) => ({ result: found }))).toBeUndefined();
  expect(existsSync(home)).toBe(false);
});

test('a folder is known by one name, and holds a project itself or not at all', () => {
  const top = temporary();
  mkdirSync(join(top, 'web', '.cleo'), { recursive: true });
  mkdirSync(join(top, 'web', 'src'));
  symlinkSync(join(top, 'web'), join(top, 'link'));
  expect(realFolder(top, 'link')).toBe(join(top, 'web'));
  expect(realFolder(top, 'gone')).toBeUndefined();
  expect(projectAt(join(top, 'web'), join(top, 'home'))?.root).toBe(join(top, 'web'));
  expect(projectAt(join(top, 'web', 'src'), join(top, 'home'))).toBeUndefined();
  expect(projectAt(join(top, 'web'), join(top, 'web', '.cleo'))).toBeUndefined();
});
