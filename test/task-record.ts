import type { TaskRecord } from '../src/tasks/model/task.ts';

/** Creates the record of a pending task. */
export const createTaskRecord = (id: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  type: 'task',
  title: `Task ${id}`,
  status: 'pending',
  priority: 'medium',
  labels: [],
  depends: [],
  acceptance: [],
  files: [],
  uid: id,
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: 'world',
  updatedAt: '2026-01-01T00:00:00.000Z',
  revision: 1,
  ...more,
});
