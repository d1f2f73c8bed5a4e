import { describe, expect, test } from 'vitest';
import type { ParsedEntry } from '../model/manifest.ts';
import { checkOutput, parseOutput } from './output-file.ts';

const entry: ParsedEntry = {
  id: 'T002-x',
  file: 'x.md',
  title: 'X',
  date: '2026-01-01',
  status: 'complete',
  topics: [],
  key_findings: [],
  actionable: true,
  needs_followup: [],
  linked_tasks: ['T002'],
};
const good = `# Parsers

**Task**: T002
**Epic**: T001
**Date**: 2026-01-01
**Status**: complete

---

## Summary
Short.

## Content
Long.
`;
const parts = (text: string): string[] =>
  checkOutput(parseOutput(text), entry, (id) => (id === 'T002' ? 'T001' : undefined)).map(
    ({ part, isContradiction: isContrary }) => `${part}${isContrary ? '!' : ''}`,
  );

const table: [string, string, string[]][] = [
  ['a valid file', good, []],
  [
    'other line ends, a mark, ids as people write them, the colon inside',
    `\ufeff${good.replace('**Task**: T002', '**Task:** t2').replaceAll('\n', '\r\n')}`,
    [],
  ],
  ['no title', good.replace('# Parsers\n', ''), ['title']],
  ['no header', good.replace(/\*\*.*\n/g, ''), ['task', 'epic', 'date', 'status']],
  ['another task', good.replace('T002', 'T003'), ['task!']],
  ['another epic', good.replace('T001', 'T009'), ['epic!']],
  ['another date', good.replace('2026-01-01', '2026-01-02'), ['date!']],
  ['another status', good.replace('**Status**: complete', '**Status**: partial'), ['status!']],
  ['an empty value', good.replace('**Status**: complete', '**Status**:'), ['status']],
  ['no summary', good.replace('## Summary\nShort.\n', ''), ['summary']],
  ['an empty content', good.replace('Long.', ''), ['content']],
  ['headings inside a code block', good.replace('## Content\nLong.', '```\n## Content\nLong.\n```'), ['content']],
  ['an empty file', '', ['title', 'task', 'epic', 'date', 'status', 'summary', 'content']],
];
test.each(table)('checks %s', (_, text, problems) => expect(parts(text)).toEqual(problems));

describe('parseOutput', () => {
  test('ends the header at the first section and matches fence lengths', () => {
    const { header, sections } = parseOutput('# A\n**Task**: T1\n## One\n**Status**: no\n````\n```\n## Two\n````\n## Three\nx\n# B\n');
    expect([...header]).toEqual([['task', 'T1']]);
    expect([...sections.keys()]).toEqual(['one', 'three']);
  });
});
