import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createTempFolder } from '../../test/temp-folder.ts';
import { createFileCache } from './file-cache.ts';

function createCache() {
  const path = join(createTempFolder(), 'settings.json');
  let parsed = 0;
  const read = createFileCache((text) => {
    parsed++;
    return text;
  });
  return { path, read: () => read(path), countParsed: () => parsed };
}

/** Makes the last change of the file old enough to be recognized by its time. */
const settle = (path: string): void => void vi.setSystemTime(statSync(path).ctimeMs + 2000);

test('parses a file once while it does not change', () => {
  const { path, read, countParsed } = createCache();
  writeFileSync(path, 'one');
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    settle(path);
    expect([read(), read(), read()]).toEqual(['one', 'one', 'one']);
    expect(countParsed()).toBe(1);
    writeFileSync(path, 'two');
    expect([read(), countParsed()]).toEqual(['two', 2]);
  } finally {
    vi.useRealTimers();
  }
});

test('reads a change of the same length at once, even if the time of the file is set back', () => {
  const { path, read } = createCache();
  writeFileSync(path, 'one');
  const { atime, mtime } = statSync(path);
  expect(read()).toBe('one');
  for (const text of ['two', 'six', 'ten']) {
    writeFileSync(path, text);
    utimesSync(path, atime, mtime);
    expect(read()).toBe(text);
  }
});

test('reads a file that replaces another, that was removed, and that is new', () => {
  const { path, read } = createCache();
  expect(read()).toBeUndefined();
  writeFileSync(path, 'one');
  expect(read()).toBe('one');
  writeFileSync(`${path}.new`, 'two');
  renameSync(`${path}.new`, path);
  expect(read()).toBe('two');
  rmSync(path);
  expect(read()).toBeUndefined();
});
