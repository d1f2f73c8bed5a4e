import { describe, expect, test } from 'vitest';
import type { ReadEntry } from '../model/manifest.ts';
import {
  archivePath,
  entryFor,
  entryIdFor,
  manifestPath,
  outputFolder,
  readManifest,
  tasksOf,
  withLinks,
  withoutEntries,
} from './manifest.ts';

const line = (more: object): string =>
  JSON.stringify({ id: 'T001-x', file: 'x.md', title: 'X', status: 'complete', linked_tasks: ['T001'], ...more });
const read = (more: object): ReadEntry => readManifest(line(more)).entries[0]!.entry;

describe('reading', () => {
  const table: [string, string, [string, number][], number[]][] = [
    ['nothing', '', [], []],
    [
      'lines',
      `${line({})}\n${line({ id: 'T002-y' })}\n`,
      [
        ['T001-x', 1],
        ['T002-y', 2],
      ],
      [],
    ],
    ['a last line without an end', line({}), [['T001-x', 1]], []],
    ['a last line that was cut short', `${line({})}\n{"id":"T0`, [['T001-x', 1]], [2]],
    ['other line ends, a mark and blank lines', `\ufeff${line({})}\r\n\r\n  \n`, [['T001-x', 1]], []],
    ['junk between', `junk\n${line({})}\n`, [['T001-x', 2]], [1]],
    [
      'the last of two with one id, at its place',
      `${line({})}\n${line({ id: 'T002-y' })}\n${line({})}\n`,
      [
        ['T002-y', 2],
        ['T001-x', 3],
      ],
      [3],
    ],
    ['what is no entry', `1\nnull\n"x"\n{}\n${line({ status: 'done' })}\n${line({ topics: 'x' })}\n`, [], [1, 2, 3, 4, 5, 6]],
  ];
  test.each(table)('%s', (_, text, entries, problems) => {
    const found = readManifest(text);
    expect(found.entries.map(({ entry, line: at }) => [entry.id, at])).toEqual(entries);
    expect(found.problems.map((problem) => problem.line)).toEqual(problems);
  });

  test('ten thousand lines take no time to speak of', () => {
    const text = Array.from({ length: 10_000 }, (_, i) => line({ id: `T${i}-x` })).join('\n');
    const start = performance.now();
    expect(readManifest(text).entries).toHaveLength(10_000);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

test('an entry belongs to the tasks that it links, and to the one in its id', () => {
  expect(tasksOf(read({ id: 'T003-x', linked_tasks: ['t1', 'T002'] }))).toEqual(['T001', 'T002', 'T003']);
  expect(tasksOf(read({ id: 'by-hand', linked_tasks: ['t1'] }))).toEqual(['T001']);
});

describe('the entry of a task', () => {
  const table: [string, object[], string | undefined][] = [
    ['is the newest under its own id', [{ id: 'T001-a' }, { id: 'T001-b' }], 'T001-b'],
    ['is not that of another task, linked to it', [{ id: 'T002-a', linked_tasks: ['T001'] }], undefined],
    ['may have an id of no task, if it is linked', [{ id: 'by-hand' }], 'by-hand'],
    ['is its own rather than that', [{ id: 'T001-a' }, { id: 'by-hand' }], 'T001-a'],
  ];
  test.each(table)('%s', (_, entries, id) => expect(entryFor(readManifest(entries.map(line).join('\n')), 'T001')?.id).toBe(id));
});

test('an id is made of the task and what of the title can be in one', () => {
  expect(entryIdFor('T001', 'Which parsers: a look!')).toBe('T001-which-parsers-a-look');
  expect(entryIdFor('T001', '解析器')).toBe('T001-entry');
  expect(entryIdFor('T001', 'x'.repeat(200))).toBe(`T001-${'x'.repeat(60)}`);
});

test('paths follow the configuration', () => {
  const config = { 'orchestrate.outputDir': 'docs/out//' };
  expect([manifestPath(config), archivePath(config), outputFolder(config, 'T001')]).toEqual([
    'docs/out/MANIFEST.jsonl',
    'docs/out/MANIFEST.archive.jsonl',
    'docs/out/T001',
  ]);
});

test('links are changed in the line that counts, with all else that is in it', () => {
  const lines = [line({}), 'junk', line({ mood: 'good' }), ''];
  const add = (links: string[]) => [...links, 'T002'];
  expect(withLinks(lines, 'T001-x', add)).toEqual([
    'keep',
    'keep',
    { text: line({ linked_tasks: ['T001', 'T002'], mood: 'good' }) },
    'keep',
  ]);
  expect(withLinks(lines, 'T404-x', add)).toEqual(['keep', 'keep', 'keep', 'keep']);
  expect(withLinks(lines, 'T001-x', (links) => links)).toEqual(['keep', 'keep', 'keep', 'keep']);
});

test('all lines of an entry are taken out, and nothing else', () => {
  expect(withoutEntries([line({}), 'junk', line({}), line({ id: 'T002-y' }), ''], new Set(['T001-x']))).toEqual([
    'drop',
    'keep',
    'drop',
    'keep',
    'keep',
  ]);
});
