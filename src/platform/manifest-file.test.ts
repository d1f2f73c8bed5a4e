import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LineChange } from '#research/rules/manifest.ts';
import { createTempFolder } from '../../test/temp-folder.ts';
import { addLine, changeLines, readLines } from './manifest-file.ts';

const createManifest = (text?: string): string => {
  const path = join(createTempFolder(), 'MANIFEST.jsonl');
  if (text !== undefined) writeFileSync(path, text);
  return path;
};
const read = (path: string): string => readFileSync(path, 'utf8');
const listOtherFiles = (path: string): string[] => readdirSync(join(path, '..')).filter((name) => name !== 'MANIFEST.jsonl');
const uppercaseB = (lines: string[]): LineChange[] => lines.map((line) => (line === 'b' ? { text: 'B' } : 'keep'));
const dropB = (lines: string[]): LineChange[] => lines.map((line) => (line === 'b' ? 'drop' : 'keep'));

test('keeps unchanged lines to the byte and the line ending of changed ones', () => {
  const path = createManifest();
  const [before, after] = [Buffer.from([0xff, 0x0d, 0x0a]), Buffer.from('c\ntorn \u00e4')];
  writeFileSync(path, Buffer.concat([before, Buffer.from('b\r\n'), after]));
  utimesSync(path, 1, 1);
  changeLines(path, (lines) => lines.map((line) => (line === 'b\r' ? { text: 'B' } : 'keep')));
  expect(readFileSync(path)).toEqual(Buffer.concat([before, Buffer.from('B\r\n'), after]));
  changeLines(path, (lines) => lines.map((line) => (line === 'B\r' ? 'drop' : 'keep')));
  expect(readFileSync(path)).toEqual(Buffer.concat([before, after]));
});

test('writes nothing if nothing changes or the file is missing', () => {
  const path = createManifest('a\n');
  const { ino } = statSync(path);
  changeLines(path, uppercaseB);
  expect([statSync(path).ino, listOtherFiles(path)]).toEqual([ino, []]);
  const none = createManifest();
  changeLines(none, uppercaseB);
  expect(existsSync(none)).toBe(false);
  expect(readLines(none)).toBe('');
});

test('keeps a line that is appended while the file is rewritten', () => {
  const path = createManifest('a\nb\n');
  changeLines(path, (lines) => {
    appendFileSync(path, 'late\n');
    return uppercaseB(lines);
  });
  expect(read(path)).toBe('a\nB\nlate\n');
});

test('reads lines that are appended to the replaced file, and carries them over with the next write', () => {
  const path = createManifest('a\nb\n');
  const handle = openSync(path, 'a');
  changeLines(path, dropB);
  writeSync(handle, 'late one\n');
  expect(read(path)).toBe('a\n');
  expect(readLines(path)).toBe('a\nlate one\n');
  addLine(path, (text) => {
    expect(text).toBe('a\nlate one\n');
    return 'new';
  });
  writeSync(handle, 'late two\n');
  changeLines(path, (lines) => lines.map((line) => (line === 'a' ? { text: 'A' } : 'keep')));
  closeSync(handle);
  expect(read(path)).toBe('A\nlate one\nnew\nlate two\n');
  expect(readLines(path)).toBe('A\nlate one\nnew\nlate two\n');
});

test('carries an incomplete line over only when it is complete', () => {
  const path = createManifest('a\nb\n');
  const handle = openSync(path, 'a');
  changeLines(path, dropB);
  writeSync(handle, 'ha');
  addLine(path, () => 'new');
  writeSync(handle, 'lf\n');
  addLine(path, () => 'newer');
  closeSync(handle);
  expect(read(path)).toBe('a\nnew\nhalf\nnewer\n');
});

test('waits for a line that is being written before the rewrite', () => {
  const path = createManifest('a\nb\n{"begun');
  changeLines(path, uppercaseB);
  expect(read(path)).toBe('a\nB\n{"begun');
});

test('removes the replaced file after ten minutes', () => {
  const path = createManifest('a\nb\n');
  changeLines(path, dropB);
  const [name] = listOtherFiles(path);
  expect(listOtherFiles(path)).toHaveLength(1);
  addLine(path, () => 'c');
  expect(listOtherFiles(path)).toEqual([name]);
  // The change time of a file cannot be set, so move the clock.
  const now = Date.now;
  Date.now = () => now() + 601_000;
  try {
    addLine(path, () => 'd');
  } finally {
    Date.now = now;
  }
  expect(listOtherFiles(path)).toEqual([]);
  expect(read(path)).toBe('a\nc\nd\n');
});

test('an error of the callback changes nothing', () => {
  const path = createManifest('a\nb\n');
  const fail = (): never => {
    throw new Error('no');
  };
  expect(() => changeLines(path, fail)).toThrow('no');
  expect(() => addLine(path, fail)).toThrow('no');
  expect([read(path), listOtherFiles(path)]).toEqual(['a\nb\n', []]);
});

test('ignores other files in the folder', () => {
  const path = createManifest('a\nb\n');
  writeFileSync(join(path, '..', '.MANIFEST.archive.jsonl.tmp-0-abcdef'), 'x\n');
  writeFileSync(join(path, '..', 'MANIFEST.jsonl.tmp-0-abcdef'), 'x\n');
  expect(readLines(path)).toBe('a\nb\n');
  renameSync(join(path, '..', 'MANIFEST.jsonl.tmp-0-abcdef'), join(path, '..', '.MANIFEST.jsonl.tmp-0-abcdef'));
  expect(readLines(path)).toBe('a\nb\nx\n');
});
