import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../../test/temporary.ts';
import { placePrivate, replacePrivate, sweepDrafts, sweepDraftsOf } from './private-file.ts';
import { traceFolder } from './trace-folder.ts';

test.each(['durable', 'soon'] as const)('a private file is replaced whole (%s), and nothing is left beside it', (how) => {
  const folder = temporary();
  const path = join(folder, 'run.json');
  for (const text of ['first', 'second']) replacePrivate(path, text, how);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual(['second', 0o600, ['run.json']]);
  mkdirSync(join(folder, 'taken/inside'), { recursive: true });
  expect(() => replacePrivate(join(folder, 'taken'), 'x', how)).toThrow();
  expect(readdirSync(folder)).toEqual(['run.json', 'taken']);
});

test('one that is there already stays as it is', () => {
  const path = join(temporary(), 'salt');
  expect([placePrivate(path, 'first'), placePrivate(path, 'second'), readFileSync(path, 'utf8')]).toEqual([true, false, 'first']);
});

const old = new Date(Date.now() - 2 * 3_600_000);
function made(folder: string, name: string, at?: Date): void {
  writeFileSync(join(folder, name), '');
  if (at) utimesSync(join(folder, name), at, at);
}

test('what a killed writer had begun goes when it is old; at once where no writer is left', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'phase'));
  for (const name of ['run.json', 'run.json.tmp-12-abc', 'phase/result.json.tmp-12-abc']) made(folder, name);
  made(folder, 'old.tmp-12-abc', old);
  made(folder, 'notes.tmp-of-mine', old);
  sweepDrafts(folder);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
    ...['notes.tmp-of-mine', 'phase', 'phase/result.json.tmp-12-abc', 'run.json', 'run.json.tmp-12-abc'],
  ]);
  sweepDrafts(folder, 'all');
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['notes.tmp-of-mine', 'phase', 'run.json']);
  sweepDrafts(join(folder, 'nowhere'));
});

test('of one file only what writers left goes who are no more', () => {
  const folder = temporary();
  const kept = [`log.md.tmp-${process.pid}-abc`, 'log.md.tmp-mine', 'other.md.tmp-999999999-abc', 'log.md'];
  for (const name of [...kept, 'log.md.tmp-999999999-abc']) made(folder, name);
  sweepDraftsOf(join(folder, 'log.md'));
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
  sweepDraftsOf(join(folder, 'nowhere/log.md'));
});

test('traces keep nothing of killed writers: not after the daily look, and not when a run goes', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'blobs'));
  const trace = '2026-01-01-run-a.jsonl';
  for (const name of ['.pruned.tmp-12-abc', 'blobs/00ff.tmp-12-abc']) made(folder, name, old);
  for (const name of [trace, `${trace}.corrupt`, `${trace}.tmp-12-abc`]) made(folder, name);
  const traces = traceFolder(folder);
  traces.noteLook('2026-01-02T00:00:00.000Z');
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['.pruned', trace, `${trace}.corrupt`, `${trace}.tmp-12-abc`, 'blobs']);
  traces.remove(trace);
  expect(readdirSync(folder).sort()).toEqual(['.pruned', 'blobs']);
});
