import type { Status, TaskType } from '#core/model/scalars.ts';

export interface Progress {
  done: number;
  total: number;
  percent: number;
}

export interface Counted {
  type: TaskType;
  status: Status;
  n: number;
}

/** Tasks and subtasks are counted; sagas and epics only hold them, and stand for themselves where they hold nothing. Rounded down, so
 *  that 100 means all. */
export function progressOf(counts: Counted[]): Progress {
  const done = sum(counts.filter((one) => isCounted(one) && one.status === 'done'));
  const total = sum(counts.filter(isCounted));
  const isOver = counts.length > 0 && counts.every(({ status }) => status === 'done');
  return { done, total, percent: total > 0 ? Math.floor((100 * done) / total) : isOver ? 100 : 0 };
}

/** How many tasks and subtasks there are in each state. */
export function byStatus(counts: Counted[]): Record<Status, number> {
  const states: Record<Status, number> = { pending: 0, active: 0, blocked: 0, done: 0 };
  for (const { status, n } of counts.filter(isCounted)) states[status] += n;
  return states;
}

const isCounted = ({ type }: Counted): boolean => type === 'task' || type === 'subtask';
const sum = (counts: Counted[]): number => counts.reduce((all, { n }) => all + n, 0);
