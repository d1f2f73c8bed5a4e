import { expect, test } from 'vitest';
import { adrOf, decisionsToldIn, isMeant, recordNumber } from './memory-adr.ts';

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
])('the status %j is %s', (status, state, supersededBy) => {
  expect(decisionsToldIn('0012-x.md', nygard(status))).toEqual([
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
])('a status in %s is read and not part of the content', (_, text, title, content) => {
  expect(decisionsToldIn('x.md', text)).toMatchObject([{ title, content, state: 'accepted' }]);
});

test('a record without a status is proposed; a heading in code is none', () => {
  expect(decisionsToldIn('x.md', `# T\n\n${rest}`)).toMatchObject([{ state: 'proposed', content: rest }]);
  expect(decisionsToldIn('x.md', '# T\n```\n## Decision\n## Context\n```\n')).toEqual([]);
});

test.each([
  ['README.md', '# Decisions\n\nHow we write them.\n'],
  ['report.md', '# Parsers\n\n**Task**: T002\n**Status**: complete\n\n## Summary\nTwo are fast.\n'],
  ['x.jsonl', '{"type":"note","text":"x"}\nnot json\n[1]\n'],
  ['x.json', '{}'],
  ['empty.md', ''],
])('%s tells no decision', (name, text) => {
  expect(decisionsToldIn(name, text)).toEqual([]);
});

test.each([
  ['lines', '**Task**: T002\n**Status**: complete\n\nDecision: use structs\n- **Decision**: no classes\n', ['use structs', 'no classes']],
  ['items', '# Report\n\n## Decisions\n\n- use structs\n  because fast\n- no classes\n', ['use structs\n  because fast', 'no classes']],
  ['a section', '# Report\n**Status**: complete\n\n## Decision\nUse structs.\n\nThey are fast.\n', ['Use structs.\n\nThey are fast.']],
])('an output tells decisions in %s', (_, text, contents) => {
  expect(decisionsToldIn('out.md', text).map(({ content }) => content)).toEqual(contents);
});

test('a ledger of JSON tells what calls itself a decision', () => {
  const lines = [
    '{"type":"decision","title":"Tokens","content":"Use structs","rationale":"Fast","status":"accepted","task":"t002"}',
    '{"decision":"No classes"}',
    '{"decisions":["One", {"text":"Two"}]}',
  ];
  const told = decisionsToldIn('ledger.jsonl', lines.join('\n'));
  expect(told[0]).toEqual({ title: 'Tokens', content: 'Use structs\n\nFast', state: 'accepted', tasks: ['T002'] });
  expect(told.map(({ title }) => title)).toEqual(['Tokens', 'No classes', 'One', 'Two']);
  expect(decisionsToldIn('ledger.json', `[${lines.join(',')}]`)).toEqual(told);
});

test.each([
  ['docs/adr/0012-tokens.md', '12'],
  ['adr-7.md', '7'],
  ['ADR_003_x.md', '3'],
  ['tokens.md', undefined],
])('the number of %s is %s', (name, number) => {
  expect(recordNumber(name)).toBe(number);
});

test.each([
  ['13', '0013-x.md', true],
  ['0013', 'adr/adr-13.md', true],
  ['0013-x.md', '0013-x.md', true],
  ['0013-x.md', '0013-y.md', false],
  ['13', '0130-x.md', false],
  ['tokens', 'tokens', true],
])('%s means %s: %s', (reference, name, is) => {
  expect(isMeant(reference, name)).toBe(is);
});

test('a record that we write is one that we read', () => {
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
  const text = adrOf(entry, ['D-001']);
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
  expect(decisionsToldIn('x.md', text)).toMatchObject([{ title: 'Use structs', state: 'accepted' }]);
  expect(adrOf({ ...entry, content: rest }, [])).toContain(`Accepted\n\n## Context\nWhy`);
});
