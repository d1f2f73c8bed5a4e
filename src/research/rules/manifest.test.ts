import { describe, expect, test } from 'vitest';
import type { ParsedEntry } from '../model/manifest.ts';
import {
  changeLinks,
  createEntryId,
  dropEntries,
  findTaskEntry,
  getArchivePath,
  getManifestPath,
  getOutputFolder,
  listEntryTasks,
  parseManifest,
} from './manifest.ts';

const line = (more: object): string =>
  JSON.stringify({ id: 'T001-x', file: 'x.md', title: 'X', status: 'complete', linked_tasks: ['T001'], ...more });
const read = (more: object): ParsedEntry => parseManifest(line(more)).entries[0]!.entry;

describe('parses', () => {
  const table: [string, string, [string, number][], number[]][] = [
    ['an empty text', '', [], []],
    [
      'several lines',
      `${line({})}\n${line({ id: 'T002-y' })}\n`,
      [
        ['T001-x', 1],
        ['T002-y', 2],
      ],
      [],
    ],
    ['a last line without a newline', line({}), [['T001-x', 1]], []],
    ['an incomplete last line', `${line({})}\n{"id":"T0`, [['T001-x', 1]], [2]],
    ['CRLF, a byte order mark and blank lines', `\ufeff${line({})}\r\n\r\n  \n`, [['T001-x', 1]], []],
    ['junk between entries', `junk\n${line({})}\n`, [['T001-x', 2]], [1]],
    [
      'the last of two lines with one id',
      `${line({})}\n${line({ id: 'T002-y' })}\n${line({})}\n`,
      [
        ['T002-y', 2],
        ['T001-x', 3],
      ],
      [3],
    ],
    ['lines that are not entries', `1\nnull\n"x"\n{}\n${line({ status: 'done' })}\n${line({ topics: 'x' })}\n`, [], [1, 2, 3, 4, 5, 6]],
  ];
  test.each(table)('%s', (_, text, entries, problems) => {
    const found = parseManifest(text);
    expect(found.entries.map(({ entry, line: at }) => [entry.id, at])).toEqual(entries);
    expect(found.problems.map((problem) => problem.line)).toEqual(problems);
  });

  test('ten thousand lines quickly', () => {
    const text = Array.from({ length: 10_000 }, (_, i) => line({ id: `T${i}-x` })).join('\n');
    const start = performance.now();
    expect(parseManifest(text).entries).toHaveLength(10_000);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

test('lists the linked tasks and the task in the id', () => {
  expect(listEntryTasks(read({ id: 'T003-x', linked_tasks: ['t1', 'T002'] }))).toEqual(['T001', 'T002', 'T003']);
  expect(listEntryTasks(read({ id: 'by-hand', linked_tasks: ['t1'] }))).toEqual(['T001']);
});

describe('finds as the entry of a task', () => {
  const table: [string, object[], string | undefined][] = [
    ['the newest with its id as prefix', [{ id: 'T001-a' }, { id: 'T001-b' }], 'T001-b'],
    ['not a linked entry of another task', [{ id: 'T002-a', linked_tasks: ['T001'] }], undefined],
    ['a linked entry without a task id', [{ id: 'by-hand' }], 'by-hand'],
    ['an entry of its own before a linked one', [{ id: 'T001-a' }, { id: 'by-hand' }], 'T001-a'],
  ];
  test.each(table)('%s', (_, entries, id) => expect(findTaskEntry(parseManifest(entries.map(line).join('\n')), 'T001')?.id).toBe(id));
});

test('creates an id from the task and the title', () => {
  expect(createEntryId('T001', 'Which parsers: a look!')).toBe('T001-which-parsers-a-look');
  expect(createEntryId('T001', '解析器')).toBe('T001-entry');
  expect(createEntryId('T001', 'x'.repeat(200))).toBe(`T001-${'x'.repeat(60)}`);
});

test('derives paths from the configuration', () => {
  const config = { 'orchestrate.outputDir': 'docs/out//' };
  expect([getManifestPath(config), getArchivePath(config), getOutputFolder(config, 'T001')]).toEqual([
    'docs/out/MANIFEST.jsonl',
    'docs/out/MANIFEST.archive.jsonl',
    'docs/out/T001',
  ]);
});

test('changes links in the last line of an entry and keeps unknown fields', () => {
  const lines = [line({}), 'junk', line({ mood: 'good' }), ''];
  const add = (links: string[]) => [...links, 'T002'];
  expect(changeLinks(lines, 'T001-x', add)).toEqual([
    'keep',
    'keep',
    { text: line({ linked_tasks: ['T001', 'T002'], mood: 'good' }) },
    'keep',
  ]);
  expect(changeLinks(lines, 'T404-x', add)).toEqual(['keep', 'keep', 'keep', 'keep']);
  expect(changeLinks(lines, 'T001-x', (links) => links)).toEqual(['keep', 'keep', 'keep', 'keep']);
});

test('drops all lines of an entry and no others', () => {
  expect(dropEntries([line({}), 'junk', line({}), line({ id: 'T002-y' }), ''], new Set(['T001-x']))).toEqual([
    'drop',
    'keep',
    'drop',
    'keep',
    'keep',
  ]);
});
