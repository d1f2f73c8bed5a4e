import { expect, test } from 'vitest';
import { createTaskRecord } from '../../../../test/task-record.ts';
import type { TaskRecord } from '../../../tasks/model/task.ts';
import { diffDigests, digestRecord } from '../import-base.ts';
import type { NormalizedTask } from '../normalize-task.ts';
import { settleBase } from './settle.ts';

const theirs: NormalizedTask = {
  id: 'octo/plan#1',
  title: 'Task T001',
  description: 'Text',
  status: 'pending',
  priority: 'medium',
  hint: 'task',
  depends: [],
  related: ['octo/plan#2'],
  labels: ['a', 'b'],
  files: [],
  acceptance: [{ text: 'Works', met: true }],
  notes: [],
  isArchived: false,
  updatedAt: '2026-01-02T00:00:00.000Z',
};
const ours: Partial<TaskRecord> = {
  description: 'Text',
  labels: ['b', 'a'],
  acceptance: [{ kind: 'text', text: 'Works', metAt: '2026-01-01', metBy: 'ada' }],
  revision: 7,
};
const settle = (record: TaskRecord, foreign: Partial<NormalizedTask> = {}, parent?: string, earlier?: string) =>
  settleBase({
    record,
    theirs: { ...theirs, ...foreign },
    digest: 'd',
    parent,
    depends: [],
    ...(earlier === undefined ? {} : { earlier: { theirs: 'e', ours: earlier } }),
  });

test('a task with the values of its issue has no changes', () => {
  const record = createTaskRecord('T001', ours);
  expect(settle(record)).toMatchObject({
    theirs: 'd',
    ours: digestRecord(record),
    revision: 7,
    updatedAt: theirs.updatedAt,
    labels: ['a', 'b'],
    related: ['octo/plan#2'],
  });
});

test.each<[string, Partial<TaskRecord>, Partial<NormalizedTask>, string[]]>([
  ['another title', { title: 'Other' }, {}, ['title']],
  ['another description', { description: 'Other' }, {}, ['description']],
  ['another priority', { priority: 'high' }, {}, ['priority']],
  ['another assignee', { assignee: 'ada' }, {}, ['assignee']],
  ['a due date', { due: '2026-02-01' }, {}, ['due']],
  ['another type', { type: 'epic' }, {}, ['hint']],
  ['another parent', { parentId: 'T009' }, {}, ['parent']],
  ['another dependency', { depends: ['T009'] }, {}, ['depends']],
  ['another label', { labels: ['a', 'c'] }, {}, ['labels']],
  ['one label less', { labels: ['a'] }, {}, ['labels']],
  ['a file', { files: ['a.ts'] }, {}, ['files']],
  ['a criterion that is not met', { acceptance: [{ kind: 'text', text: 'Works' }] }, {}, ['acceptance']],
  ['another status', { status: 'active' }, {}, ['status']],
  ['a reason to be blocked', { status: 'blocked', blockedBy: 'x' }, { status: 'blocked' }, ['status']],
  ['an archived task', { status: 'done', resolution: 'done', archivedAt: 'x' }, { status: 'done' }, ['status', 'isArchived']],
  ['a task that is done', { status: 'done', resolution: 'done' }, {}, ['status', 'resolution']],
  ['another resolution', { status: 'done', resolution: 'duplicate' }, { status: 'done', resolution: 'done' }, ['resolution']],
  ['a resolution that GitHub has no word for', { status: 'done', resolution: 'wontfix' }, { status: 'done', resolution: 'cancelled' }, []],
])('%s is a change that is not settled', (_, more, foreign, expected) => {
  const record = createTaskRecord('T001', { ...ours, ...more });
  const base = settle(record, foreign);
  const changed = diffDigests(base.ours, digestRecord(record));
  expect([...changed].toSorted()).toEqual(expected.toSorted());
  expect(base.revision).toBe(expected.length > 0 ? undefined : 7);
});

test('a change that is not settled stays what it was', () => {
  const before = createTaskRecord('T001', { ...ours, title: 'Before' });
  const record = createTaskRecord('T001', { ...ours, title: 'Other' });
  expect(settle(record, {}, undefined, digestRecord(before)).ours).toBe(digestRecord(before));
});
