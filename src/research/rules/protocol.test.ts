import { expect, test } from 'vitest';
import { protocolSection, protocolUpTo } from './protocol.ts';

const source = `<!-- TIER:minimal -->

# Head
Reads: {{query 0}}. Writes: {{mutate 0}}.

## rules

One.

## work-loop

Two: {{query 1}}.

<!-- /TIER:minimal -->

<!-- TIER:standard -->

## memory

Three.

<!-- /TIER:standard -->

<!-- TIER:orchestrator -->
<!-- /TIER:orchestrator -->
`;
const operations = [
  { name: 'tasks.show', kind: 'query' as const, tier: 0 },
  { name: 'tasks.find', kind: 'query' as const, tier: 0 },
  { name: 'admin.help', kind: 'query' as const, tier: 0 },
  { name: 'tasks.add', kind: 'mutation' as const, tier: 0 },
  { name: 'admin.init', kind: 'job' as const, tier: 0 },
  { name: 'tasks.relates.list', kind: 'query' as const, tier: 1 },
];

test('a tier holds those before it, and the operations that there are', () => {
  const text = protocolUpTo(source, 'standard', operations);
  expect(text).toContain('Reads: tasks.(show find), admin.help. Writes: tasks.add, admin.init.');
  expect(text.match(/<!-- .*? -->/g)).toEqual([
    '<!-- TIER:minimal -->',
    '<!-- /TIER:minimal -->',
    '<!-- TIER:standard -->',
    '<!-- /TIER:standard -->',
  ]);
  expect(protocolUpTo(source, 'minimal', [])).toContain('Reads: none further. Writes: none further.');
});

test('the whole is the source, filled in', () => {
  expect(protocolUpTo(source, 'orchestrator', operations).replace(/Reads.*|Two.*/g, '')).toBe(source.replace(/Reads.*|Two.*/g, ''));
});

test.each([
  ['rules', '## rules\n\nOne.\n'],
  ['work-loop', '## work-loop\n\nTwo: tasks.relates.list.\n'],
  ['memory', '## memory\n\nThree.\n'],
] as const)('the section %s ends where the next begins', (section, text) => {
  expect(protocolSection(source, section, operations)).toBe(text);
});
