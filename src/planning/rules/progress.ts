import type { Status, TaskType } from '#core/model/scalars.ts';
import { toPercent } from '#lib/statistics.ts';

export interface Progress {
  done: number;
  total: number;
  percent: number;
}

export interface StatusCount {
  type: TaskType;
  status: Status;
  n: number;
}

/** Counts tasks and subtasks. Sagas and epics count only where they contain no tasks. The percentage is rounded down, so that 100 means
 *  all. */
export function computeProgress(counts: StatusCount[]): Progress {
  const done = sumCounts(counts.filter((one) => isCounted(one) && one.status === 'done'));
  const total = sumCounts(counts.filter(isCounted));
  const isOver = counts.length > 0 && counts.every(({ status }) => status === 'done');
  return { done, total, percent: total > 0 ? toPercent(done / total) : isOver ? 100 : 0 };
}

/** Counts tasks and subtasks by status, without sagas and epics. */
export function countByStatus(counts: StatusCount[]): Record<Status, number> {
  const states: Record<Status, number> = { pending: 0, active: 0, blocked: 0, done: 0 };
  for (const { status, n } of counts.filter(isCounted)) states[status] += n;
  return states;
}

const isCounted = ({ type }: StatusCount): boolean => type === 'task' || type === 'subtask';
export const sumCounts = (counts: StatusCount[]): number => counts.reduce((all, { n }) => all + n, 0);
