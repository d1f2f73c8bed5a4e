import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { adminView } from './view.ts';

const render = renderWith(adminView);
const now = '2026-01-01T00:00:00.000Z';

test('draws the dashboard', async () => {
  const summary = {
    tasks: 7,
    archived: 1,
    byStatus: { pending: 3, active: 1 },
    byType: { epic: 2, task: 5 },
    ready: 2,
    sessions: [
      { id: 'session-1', name: 'Parser', scope: 'epic:T001', agent: 'ann', since: now, claims: [{ taskId: 'T003', agent: 'ann' }] },
      { id: 'session-2', scope: 'global', agent: 'bob', since: '2025-12-31T00:00:00.000Z' },
    ],
    active: [{ id: 'T003', title: 'Generate the tables', holder: 'ann', session: 'session-1', since: now }],
    blocked: [],
    doneToday: [],
    next: { taskId: 'T004', title: 'Print errors' },
    lastActivity: { at: now, operation: 'tasks.start', agent: 'ann' },
  };
  expect(await render({ summary })).toBe(
    [
      '7 tasks (2 epic, 5 task), 1 archived, 2 ready',
      '○ pending 3   ◐ active 1',
      'next  T004  Print errors',
      '',
      'sessions',
      '  ID         SCOPE      AGENT  SINCE   HOLDS  NAME',
      '  session-1  epic:T001  ann    now     T003   Parser',
      '  session-2  global     bob    1d ago',
      '',
      'active',
      '  ID    TITLE                HOLDER  SINCE',
      '  T003  Generate the tables  ann     now',
      '',
      'last activity: tasks.start by ann, now',
      '',
    ].join('\n'),
  );
});

test('draws log entries with their outcome', async () => {
  const entry = { timestamp: '2026-01-01T10:00:00.000Z', agent: 'ann', gateway: 'cli', durationMs: 3 };
  const entries = [
    {
      ...entry,
      seq: 2,
      operation: 'tasks.add',
      success: false,
      exitCode: 2,
      errorCode: 'E_INVALID_INPUT',
      params: { title: 'x'.repeat(400) },
    },
    { ...entry, seq: 1, operation: 'tasks.update', success: true, updated: ['T001'] },
  ];
  const lines = (await render({ entries }, {}, 80)).split('\n');
  expect(lines[0]).toBe('SEQ  TIMESTAMP            AGENT  OPERATION     OUTCOME              PARAMS');
  expect(lines[1]).toMatch(/^ {2}2 {2}2026-01-01 10:00 {2}✗ {2}ann {4}tasks\.add {5}E_INVALID_INPUT \(2\) {2}title/);
  expect(lines).toHaveLength(7);
  expect(lines[4]).toMatch(/^ +x+…$/);
  expect(lines[5]).toBe('  1  2026-01-01 10:00  ✓  ann    tasks.update  updated T001');
});
