import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../test/temp-folder.ts';
import { removeDrafts, removeDraftsFor } from './drafts.ts';
import { createPrivate, writePrivate } from './files.ts';
import { createTraceFolder } from './runner/run-files.ts';

test.each(['durable', 'soon'] as const)('replaces a private file atomically (%s) and leaves no temporary file', (durability) => {
  const folder = createTempFolder();
  const path = join(folder, 'run.json');
  for (const text of ['first', 'second']) writePrivate(path, text, durability);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual(['second', 0o600, ['run.json']]);
  mkdirSync(join(folder, 'taken/inside'), { recursive: true });
  expect(() => writePrivate(join(folder, 'taken'), 'x', durability)).toThrow();
  expect(readdirSync(folder)).toEqual(['run.json', 'taken']);
});

test('createPrivate does not replace a file', () => {
  const path = join(createTempFolder(), 'salt');
  expect([createPrivate(path, 'first'), createPrivate(path, 'second'), readFileSync(path, 'utf8')]).toEqual([true, false, 'first']);
});

const old = new Date(Date.now() - 2 * 3_600_000);
function createFile(folder: string, name: string, at?: Date): void {
  writeFileSync(join(folder, name), '');
  if (at) utimesSync(join(folder, name), at, at);
}

test('removes old temporary files, or all of them if no writer can be running', () => {
  const folder = createTempFolder();
  mkdirSync(join(folder, 'phase'));
  for (const name of ['run.json', 'run.json.tmp-12-abc', 'phase/result.json.tmp-12-abc']) createFile(folder, name);
  createFile(folder, 'old.tmp-12-abc', old);
  createFile(folder, 'notes.tmp-of-mine', old);
  removeDrafts(folder);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
    ...['notes.tmp-of-mine', 'phase', 'phase/result.json.tmp-12-abc', 'run.json', 'run.json.tmp-12-abc'],
  ]);
  removeDrafts(folder, 'all');
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['notes.tmp-of-mine', 'phase', 'run.json']);
  removeDrafts(join(folder, 'nowhere'));
});

test('removes temporary files below a folder whose writers no longer run', () => {
  const folder = createTempFolder();
  mkdirSync(join(folder, 'T001'));
  for (const name of ['work.json', 'T001/item.json.tmp-4194305-abc', `T001/item.json.tmp-${process.pid}-abc`]) createFile(folder, name);
  removeDrafts(folder, 'dead');
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['T001', `T001/item.json.tmp-${process.pid}-abc`, 'work.json']);
});

test('removes only the temporary files of one file whose writers no longer run', () => {
  const folder = createTempFolder();
  const kept = [`log.md.tmp-${process.pid}-abc`, 'log.md.tmp-mine', 'other.md.tmp-999999999-abc', 'log.md'];
  for (const name of [...kept, 'log.md.tmp-999999999-abc']) createFile(folder, name);
  removeDraftsFor(join(folder, 'log.md'));
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
  removeDraftsFor(join(folder, 'nowhere/log.md'));
});

test('the trace folder removes temporary files on prune and with the run', () => {
  const folder = createTempFolder();
  mkdirSync(join(folder, 'blobs'));
  const trace = '2026-01-01-run-a.jsonl';
  for (const name of ['.pruned.tmp-12-abc', 'blobs/00ff.tmp-12-abc']) createFile(folder, name, old);
  for (const name of [trace, `${trace}.corrupt`, `${trace}.tmp-12-abc`]) createFile(folder, name);
  const traces = createTraceFolder(folder);
  traces.recordPrune('2026-01-02T00:00:00.000Z');
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['.pruned', trace, `${trace}.corrupt`, `${trace}.tmp-12-abc`, 'blobs']);
  traces.remove(trace);
  expect(readdirSync(folder).sort()).toEqual(['.pruned', 'blobs']);
});
