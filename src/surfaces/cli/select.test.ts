import { expect, test } from 'vitest';
import type { Envelope } from '#dispatch/dispatch.ts';
import { formatQuiet } from './select.ts';

const table: [string, string, Record<string, unknown>, string][] = [
  ['a record', 'task', { task: { id: 'T001' } }, 'T001\n'],
  ['several', 'tasks', { tasks: [{ id: 'T001' }, { id: 'T002' }] }, 'T001\nT002\n'],
  ['a plain value', 'exists', { exists: true }, 'true\n'],
  ['a moment, and the task it is of', 'completedAt', { completedAt: '2026-01-01T00:00:00.000Z', task: { id: 'T001' } }, 'T001\n'],
  ['nothing', 'task', { task: {} }, ''],
];
test.each(table)('%s', (_, resultsField, result, text) => {
  const envelope = { _meta: { resultsField }, success: true, ...result } as unknown as Envelope;
  expect(formatQuiet(envelope)).toBe(text);
});

test('--quiet prints the tasks wave by wave', () => {
  const waves = [
    { wave: 1, tasks: [{ id: 'T002' }, { id: 'T003' }] },
    { wave: 2, tasks: [{ id: 'T004' }] },
  ];
  expect(formatQuiet({ _meta: { command: 'x', timestamp: '', version: '', resultsField: 'waves' }, success: true, waves })).toBe(
    'T002\nT003\nT004\n',
  );
});
