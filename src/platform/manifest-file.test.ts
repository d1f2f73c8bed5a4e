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
import { temporary } from '../../test/temporary.ts';
import { addLine, changeLines, readLines } from './manifest-file.ts';

const place = (text?: string): string => {
  const path = join(temporary(), 'MANIFEST.jsonl');
  if (text !== undefined) writeFileSync(path, text);
  return path;
};
const read = (path: string): string => readFileSync(path, 'utf8');
const besides = (path: string): string[] => readdirSync(join(path, '..')).filter((name) => name !== 'MANIFEST.jsonl');
const upper = (lines: string[]): LineChange[] => lines.map((line) => (line === 'b' ? { text: 'B' } : 'keep'));
const drop = (lines: string[]): LineChange[] => lines.map((line) => (line === 'b' ? 'drop' : 'keep'));

test('the lines that stay are the same to the byte, whatever they are; a changed one keeps its end', () => {
  const path = place();
  const [before, after] = [Buffer.from([0xff, 0x0d, 0x0a]), Buffer.from('c\ntorn \u00e4')];
  writeFileSync(path, Buffer.concat([before, Buffer.from('b\r\n'), after]));
  utimesSync(path, 1, 1);
  changeLines(path, (lines) => lines.map((line) => (line === 'b\r' ? { text: 'B' } : 'keep')));
  expect(readFileSync(path)).toEqual(Buffer.concat([before, Buffer.from('B\r\n'), after]));
  changeLines(path, (lines) => lines.map((line) => (line === 'B\r' ? 'drop' : 'keep')));
  expect(readFileSync(path)).toEqual(Buffer.concat([before, after]));
});

test('where nothing changes, and where there is no file, nothing is written', () => {
  const path = place('a\n');
  const { ino } = statSync(path);
  changeLines(path, upper);
  expect([statSync(path).ino, besides(path)]).toEqual([ino, []]);
  const none = place();
  changeLines(none, upper);
  expect(existsSync(none)).toBe(false);
  expect(readLines(none)).toBe('');
});

test('a line appended while the file is written anew is in it', () => {
  const path = place('a\nb\n');
  changeLines(path, (lines) => {
    appendFileSync(path, 'late\n');
    return upper(lines);
  });
  expect(read(path)).toBe('a\nB\nlate\n');
});

test('what goes to the file of before through an open handle is read at once, and carried over by the next write', () => {
  const path = place('a\nb\n');
  const handle = openSync(path, 'a');
  changeLines(path, drop);
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

test('half a line waits for its other half', () => {
  const path = place('a\nb\n');
  const handle = openSync(path, 'a');
  changeLines(path, drop);
  writeSync(handle, 'ha');
  addLine(path, () => 'new');
  writeSync(handle, 'lf\n');
  addLine(path, () => 'newer');
  closeSync(handle);
  expect(read(path)).toBe('a\nnew\nhalf\nnewer\n');
});

test('a line that somebody is writing is waited for before the file is written anew', () => {
  const path = place('a\nb\n{"begun');
  changeLines(path, upper);
  expect(read(path)).toBe('a\nB\n{"begun');
});

test('the file of before goes when nobody can have it open any more', () => {
  const path = place('a\nb\n');
  changeLines(path, drop);
  const [name] = besides(path);
  expect(besides(path)).toHaveLength(1);
  addLine(path, () => 'c');
  expect(besides(path)).toEqual([name]);
  // Its age is that of its last change, which cannot be set: the clock is moved instead.
  const now = Date.now;
  Date.now = () => now() + 601_000;
  try {
    addLine(path, () => 'd');
  } finally {
    Date.now = now;
  }
  expect(besides(path)).toEqual([]);
  expect(read(path)).toBe('a\nc\nd\n');
});

test('a refusal while it is written leaves everything as it was', () => {
  const path = place('a\nb\n');
  const refuse = (): never => {
    throw new Error('no');
  };
  expect(() => changeLines(path, refuse)).toThrow('no');
  expect(() => addLine(path, refuse)).toThrow('no');
  expect([read(path), besides(path)]).toEqual(['a\nb\n', []]);
});

test('other files beside it are none of its own', () => {
  const path = place('a\nb\n');
  writeFileSync(join(path, '..', '.MANIFEST.archive.jsonl.tmp-0-abcdef'), 'x\n');
  writeFileSync(join(path, '..', 'MANIFEST.jsonl.tmp-0-abcdef'), 'x\n');
  expect(readLines(path)).toBe('a\nb\n');
  renameSync(join(path, '..', 'MANIFEST.jsonl.tmp-0-abcdef'), join(path, '..', '.MANIFEST.jsonl.tmp-0-abcdef'));
  expect(readLines(path)).toBe('a\nb\nx\n');
});
