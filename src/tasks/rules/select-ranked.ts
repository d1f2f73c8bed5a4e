import type { TaskId } from '#core/model/scalars.ts';
import type { RankBucket, RankedTask } from '../model/rank.ts';
import { maxDuePoints, scoreDue } from './due.ts';
import { toKeyDistance } from './ranks.ts';

/** What was read of a bucket: its best tasks in order. */
export interface ReadBucket extends RankBucket {
  /** Extra points of all its tasks. */
  points: number;
  tasks?: RankedTask[] | undefined;
  /** All its tasks were read. */
  isComplete?: boolean | undefined;
}

export interface Selection {
  /** How many tasks to select. */
  count: number;
  buckets: ReadBucket[];
  /** All tasks whose due date gives points, with the extra points of their bucket. Undefined if they are too many to be read. */
  due: (RankedTask & { points: number })[] | undefined;
  today: string | undefined;
  /** Tasks that others hold. */
  excluded: ReadonlySet<TaskId>;
  /** Points for or against single tasks. */
  getMorePoints(id: TaskId): number;
}

export interface SelectedTask extends Pick<RankedTask, 'taskId' | 'facts'> {
  key: number;
}

/** Selects the best of the tasks that were read, best first, and the buckets of which more has to be read before that is certain. A task
 *  that was not read is at most as good as the last one of its bucket that was, plus the points for its due date, unless all tasks with
 *  such points were read. */
export function selectRanked({ count, buckets, due, today, excluded, getMorePoints }: Selection): {
  selected: SelectedTask[];
  unread: ReadBucket[];
} {
  const found = new Map<TaskId, SelectedTask>();
  const add = ({ taskId, key, due: date, facts }: RankedTask, points: number): void => {
    if (excluded.has(taskId) || found.has(taskId)) return;
    const duePoints = today === undefined ? 0 : scoreDue(date, today).points;
    found.set(taskId, { taskId, key: key - toKeyDistance(points + duePoints + getMorePoints(taskId)), facts });
  };
  for (const { tasks = [], points } of buckets) for (const task of tasks) add(task, points);
  for (const task of due ?? []) add(task, task.points);
  const selected = [...found.values()].sort((a, b) => a.key - b.key);
  const last = selected[count - 1]?.key ?? Number.POSITIVE_INFINITY;
  const maxMorePoints = due === undefined && today !== undefined ? maxDuePoints : 0;
  const unread = buckets.filter(({ bestKey, points, tasks, isComplete }) => {
    const bound = (tasks?.at(-1)?.key ?? bestKey) - toKeyDistance(points + maxMorePoints);
    return !isComplete && bound <= last;
  });
  return { selected: selected.slice(0, count), unread };
}
