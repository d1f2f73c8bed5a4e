import { expect, test } from 'vitest';
import { formatAdr, isReferenceTo, parseDecisions, parseRecordNumber } from './memory-adr.ts';

const nygard = (status: string): string => `# 12. Tokens are structs\n\n## Status\n${status}\n\n## Context\nWhy\n\n## Decision\nSo\n`;
const rest = '## Context\nWhy\n\n## Decision\nSo';

test.each([
  ['Accepted', 'accepted', undefined],
  ['**Accepted** (2026-01-01)', 'accepted', undefined],
  ['Proposed', 'proposed', undefined],
  ['Draft', 'proposed', undefined],
  ['Rejected', 'rejected', undefined],
  ['Deprecated', 'rejected', undefined],
  ['Superseded by [13. Classes](0013-classes.md)', 'superseded', '0013-classes.md'],
  ['Superseded by [ADR-0013](../adr/0013-classes.md#decision)', 'superseded', '0013-classes.md'],
  ['Accepted, superseded by ADR-0013', 'superseded', '0013'],
  ['Superseded by 13', 'superseded', '13'],
  ['Superseded', 'superseded', undefined],
  ['\nAccepted\n\nAmended later', 'accepted', undefined],
])('maps the status %j to %s', (status, state, supersededBy) => {
  expect(parseDecisions('0012-x.md', nygard(status))).toEqual([
    { title: 'Tokens are structs', content: rest, state, ...(supersededBy ? { supersededBy } : {}), tasks: [] },
  ]);
});

test.each([
  [
    'front matter',
    '---\nstatus: accepted\ndate: 2026-01-01\n---\n# Use structs\n\n## Decision Outcome\nStructs\n',
    'Use structs',
    '## Decision Outcome\nStructs',
  ],
  ['a bullet', '# ADR-012: Use structs\n\n* Status: accepted\n* Date: today\n\nStructs\n', 'Use structs', '* Date: today\n\nStructs'],
  ['a bold line', '﻿# Use structs\r\n**Status**: Accepted\r\n**Task**: T002\r\n\r\nStructs', 'Use structs', '**Task**: T002\n\nStructs'],
])('reads a status in %s and removes it from the content', (_, text, title, content) => {
  expect(parseDecisions('x.md', text)).toMatchObject([{ title, content, state: 'accepted' }]);
});

test('proposes a record without a status and ignores headings in code', () => {
  expect(parseDecisions('x.md', `# T\n\n${rest}`)).toMatchObject([{ state: 'proposed', content: rest }]);
  expect(parseDecisions('x.md', '# T\n```\n## Decision\n## Context\n```\n')).toEqual([]);
});

test.each([
  ['README.md', '# Decisions\n\nHow we write them.\n'],
  ['report.md', '# Parsers\n\n**Task**: T002\n**Status**: complete\n\n## Summary\nTwo are fast.\n'],
  ['x.jsonl', '{"type":"note","text":"x"}\nnot json\n[1]\n'],
  ['x.json', '{}'],
  ['empty.md', ''],
])('finds no decision in %s', (name, text) => {
  expect(parseDecisions(name, text)).toEqual([]);
});

test.each([
  ['lines', '**Task**: T002\n**Status**: complete\n\nDecision: use structs\n- **Decision**: no classes\n', ['use structs', 'no classes']],
  ['items', '# Report\n\n## Decisions\n\n- use structs\n  because fast\n- no classes\n', ['use structs\n  because fast', 'no classes']],
  ['a section', '# Report\n**Status**: complete\n\n## Decision\nUse structs.\n\nThey are fast.\n', ['Use structs.\n\nThey are fast.']],
])('finds decisions of an output in %s', (_, text, contents) => {
  expect(parseDecisions('out.md', text).map(({ content }) => content)).toEqual(contents);
});

test('finds decisions in JSON and JSON Lines', () => {
  const lines = [
    '{"type":"decision","title":"Tokens","content":"Use structs","rationale":"Fast","status":"accepted","task":"t002"}',
    '{"decision":"No classes"}',
    '{"decisions":["One", {"text":"Two"}]}',
  ];
  const decisions = parseDecisions('ledger.jsonl', lines.join('\n'));
  expect(decisions[0]).toEqual({ title: 'Tokens', content: 'Use structs\n\nFast', state: 'accepted', tasks: ['T002'] });
  expect(decisions.map(({ title }) => title)).toEqual(['Tokens', 'No classes', 'One', 'Two']);
  expect(parseDecisions('ledger.json', `[${lines.join(',')}]`)).toEqual(decisions);
});

test.each([
  ['docs/adr/0012-tokens.md', '12'],
  ['adr-7.md', '7'],
  ['ADR_003_x.md', '3'],
  ['tokens.md', undefined],
])('parses the number of %s as %s', (name, number) => {
  expect(parseRecordNumber(name)).toBe(number);
});

test.each([
  ['13', '0013-x.md', true],
  ['0013', 'adr/adr-13.md', true],
  ['0013-x.md', '0013-x.md', true],
  ['0013-x.md', '0013-y.md', false],
  ['13', '0130-x.md', false],
  ['tokens', 'tokens', true],
])('compares the reference %s with %s: %s', (reference, name, is) => {
  expect(isReferenceTo(reference, name)).toBe(is);
});

test('formats a record that it can parse', () => {
  const entry = {
    id: 'D-002',
    type: 'decision' as const,
    title: 'Use structs',
    state: 'accepted' as const,
    content: 'They are fast.',
    digest: '',
    agentId: 'ada',
    createdAt: 'x',
    tags: [],
    tasks: ['T001'],
    decidedBy: 'eva',
    decidedAt: '2026-01-31T00:00:00.000Z',
  };
  const text = formatAdr(entry, ['D-001']);
  expect(text).toBe(`# Use structs

## Status
Accepted

## Decision
They are fast.

## Record
- Decision: D-002, accepted by eva on 2026-01-31
- Supersedes: D-001
- Tasks: T001
`);
  expect(parseDecisions('x.md', text)).toMatchObject([{ title: 'Use structs', state: 'accepted' }]);
  expect(formatAdr({ ...entry, content: rest }, [])).toContain(`Accepted\n\n## Context\nWhy`);
});
