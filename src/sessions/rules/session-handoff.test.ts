import { expect, test } from 'vitest';
import type { Status } from '#core/model/scalars.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { createTaskRecord } from '../../../test/task-record.ts';
import { createSessionHandoff, findDecisions } from './session-handoff.ts';

const task = (id: string, status: Status, completedAt?: string): TaskRecord =>
  createTaskRecord(id, { status, ...(completedAt ? { completedAt } : {}) });
const none = {
  startedAt: '2026-03-01T00:00:00.000Z',
  touched: [],
  notes: new Map(),
  blocked: [],
  decisions: [],
  next: [],
  note: undefined,
};

test('lists tasks completed in the session as done and other touched tasks as open', () => {
  const touched = [
    task('T001', 'done', '2026-03-01T10:00:00.000Z'),
    task('T002', 'done', '2026-02-01T10:00:00.000Z'),
    task('T003', 'active'),
    task('T004', 'pending'),
    task('T005', 'blocked'),
  ];
  const handoff = createSessionHandoff({ ...none, touched, note: 'Half way', next: [{ taskId: 'T004', title: 'Task T004' }] });
  expect(handoff).toEqual({
    note: 'Half way',
    done: [{ id: 'T001', title: 'Task T001' }],
    open: [
      { id: 'T003', title: 'Task T003' },
      { id: 'T004', title: 'Task T004' },
    ],
    blocked: [],
    decisions: [],
    next: [{ id: 'T004', title: 'Task T004' }],
  });
});

test.each([
  ['Decision: use WAL', 'use WAL'],
  ['  decision:  two\nlines ', 'two\nlines'],
  ['Decision:', undefined],
  ['No decision: yet', undefined],
])('reads the note %j as the decision %j', (text, decision) => {
  const notes = [{ at: '2026-03-01T10:00:00.000Z', by: 'ada', text }];
  expect(findDecisions('T001', notes, none.startedAt).map((d) => d.text)).toEqual(decision ? [decision] : []);
});

test('ignores a decision noted before the session', () => {
  expect(findDecisions('T001', [{ at: '2026-02-01T00:00:00.000Z', by: 'ada', text: 'Decision: old' }], none.startedAt)).toEqual([]);
});

test('lists accepted and proposed memory decisions before notes', () => {
  const decision = (id: string, state: 'proposed' | 'accepted' | 'rejected' | 'superseded') => ({
    id,
    type: 'decision' as const,
    title: `Say ${id}`,
    state,
  });
  const notes = new Map([['T001', [{ at: '2026-03-01T10:00:00.000Z', by: 'ada', text: 'Decision: use WAL' }]]]);
  const decisions = [
    decision('D-001', 'accepted'),
    decision('D-002', 'rejected'),
    decision('D-003', 'proposed'),
    decision('D-004', 'superseded'),
  ];
  expect(createSessionHandoff({ ...none, notes, decisions }).decisions).toEqual([
    { id: 'D-001', title: 'Say D-001' },
    { id: 'D-003', title: 'Say D-003' },
    { taskId: 'T001', text: 'use WAL' },
  ]);
});
