import { expect, test } from 'vitest';
import { renderProtocol, renderProtocolSection } from './protocol-text.ts';

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

test('includes the lower tiers and the names of the operations', () => {
  const text = renderProtocol(source, 'standard', operations);
  expect(text).toContain('Reads: tasks.(show find), admin.help. Writes: tasks.add, admin.init.');
  expect(text.match(/<!-- .*? -->/g)).toEqual([
    '<!-- TIER:minimal -->',
    '<!-- /TIER:minimal -->',
    '<!-- TIER:standard -->',
    '<!-- /TIER:standard -->',
  ]);
  expect(renderProtocol(source, 'minimal', [])).toContain('Reads: none further. Writes: none further.');
});

test('renders the whole source for the last tier', () => {
  expect(renderProtocol(source, 'orchestrator', operations).replace(/Reads.*|Two.*/g, '')).toBe(source.replace(/Reads.*|Two.*/g, ''));
});

test.each([
  ['rules', '## rules\n\nOne.\n'],
  ['work-loop', '## work-loop\n\nTwo: tasks.relates.list.\n'],
  ['memory', '## memory\n\nThree.\n'],
] as const)('ends the section %s before the next one', (section, text) => {
  expect(renderProtocolSection(source, section, operations)).toBe(text);
});
