import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { registry } from '#core/index.generated.ts';
import type { Envelope } from '#dispatch/envelope.ts';
import { humanText } from './human.ts';

const meta = { command: 'research.list', timestamp: '2026-01-01T00:00:00.000Z', version: '1', resultsField: 'entries' };
const shown = (result: Record<string, unknown>, columns = 60) =>
  humanText({ _meta: meta, ...result } as Envelope, { columns, hasColour: false }, registry);

const entries = [
  {
    id: 'T002-parsers',
    title: 'Which parsers there are',
    status: 'complete',
    date: '2026-01-01',
    agent_type: 'research',
    topics: ['lexing', 'speed'],
    linked_tasks: ['T002'],
  },
  {
    id: 'by-hand',
    title: 'A plan\nof two lines',
    status: 'partial',
    topics: [],
    linked_tasks: [],
    needs_followup: ['Split the tests', 'Ask'],
  },
];

test('entries are shown with how they ended, where they belong and what they leave to do', async () => {
  expect(await shown({ success: true, entries })).toBe(`✓ Which parsers there are
    T002-parsers
    complete · 2026-01-01 · research · T002 · lexing, speed
◐ A plan ↵ of two lines
    by-hand
    partial
    → Split the tests
    → Ask
`);
});

test('nothing but an id is wider than the screen', async () => {
  const long = entries.map((entry) => ({
    ...entry,
    title: 'word '.repeat(40),
    topics: Array(30).fill('a long topic'),
    needs_followup: ['x '.repeat(90)],
  }));
  const text = await shown({ success: true, entries: long }, 40);
  expect(Math.max(...text.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(40);
});

test('a refusal with findings tells each that is wrong', async () => {
  const findings = [
    { rule: 'BASE-001', result: 'pass', message: 'T002-x' },
    { rule: 'BASE-003', result: 'fail', message: 'is active, not done' },
    { rule: 'BASE-007', result: 'warn', message: 'T002-x is not linked to T002' },
  ];
  const error = {
    code: 'E_VALIDATION_PROTOCOL',
    exitCode: 6,
    message: 'protocol of T002 is not kept',
    fix: 'cleo complete T002',
    details: { findings },
  };
  expect(await shown({ success: false, error })).toBe(`E_VALIDATION_PROTOCOL (exit 6)
  protocol of T002 is not kept
  ✗ BASE-003  is active, not done
  ! BASE-007  T002-x is not linked to T002
fix  cleo complete T002
`);
  const many = { ...error, details: { findings: Array.from({ length: 25 }, (_, i) => ({ code: `C${i}`, message: 'x' })) } };
  expect(await shown({ success: false, error: many })).toContain('    and 5 more\n');
});
