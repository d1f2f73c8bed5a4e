import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { formatIsoTime } from '#lib/iso-time.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { RankOrder } from '../../model/rank.ts';
import { dueSoonDays } from '../../rules/due.ts';
import { parseBucket, toBucket } from '../../rules/ranks.ts';
import { phasePoints } from '../../rules/score.ts';
import { type ReadBucket, type SelectedTask, selectRanked } from '../../rules/select-ranked.ts';

type SelectContext = Pick<QueryContext, 'store' | 'config' | 'platform' | 'caller' | 'token' | 'today'>;

interface SelectOptions {
  order: RankOrder;
  count: number;
  root: TaskId | undefined;
  /** Tasks of this phase get points. */
  phase?: string | undefined;
  /** Tasks that are assigned to others too. */
  isForAny: boolean;
  /** Tasks that others hold. */
  excluded: ReadonlySet<TaskId>;
  /** Finds points against single tasks. */
  scoreMore?(ids: TaskId[]): Promise<ReadonlyMap<TaskId, number>>;
}

/** Tasks that are read at first. Each takes 1 ‰ of a start, and a second read 4 %. */
const firstLimit = 8;
/** The limit that the last selection of this process began with. The tasks that others hold are among the best ones, and a server whose
 *  agents hold many reads as many ahead as the last call needed: a second read is a round trip. */
let lastLimit = firstLimit;
/** Buckets that are read at once. */
const maxBucketsAtOnce = 8;
/** With more tasks that are due, they are found by rank. */
const maxDueTasks = 200;

/** Sends the first reads of `selectTasks`. */
export const readRanksAhead = ({ ranks }: ReadStore, root: TaskId | undefined, order: RankOrder, today: string): Promise<unknown>[] => [
  ranks.listBuckets(root, order),
  ranks.listDue(root, order, getDueBy(today), maxDueTasks),
  ranks.listBest({ root, bucket: toBucket(undefined, undefined), order, limit: lastLimit }),
];

/** Selects the best tasks that can be started, best first. It reads the best of each bucket, and more while a task that was not read may
 *  be better than one that was selected. */
export async function selectTasks(ctx: SelectContext, options: SelectOptions): Promise<SelectedTask[]> {
  const { store, today } = ctx;
  const { order, count, root, phase, isForAny, excluded } = options;
  const [found, dueTasks] = await Promise.all([
    store.ranks.listBuckets(root, order),
    store.ranks.listDue(root, order, getDueBy(today), maxDueTasks),
  ]);
  const reserved = isForAny
    ? undefined
    : await findReservedNames(
        ctx,
        found.map(({ bucket }) => parseBucket(bucket).assignee),
      );
  const scorePhase = (bucket: string): number => (phase !== undefined && parseBucket(bucket).phase === phase ? phasePoints : 0);
  const buckets: ReadBucket[] = found
    .filter(({ bucket }) => !reserved?.has(parseBucket(bucket).assignee ?? ''))
    .map((one) => ({ ...one, points: scorePhase(one.bucket) }));
  const accepted = new Map(buckets.map(({ bucket, points }) => [bucket, points]));
  const due = dueTasks?.flatMap((task) => (accepted.has(task.bucket) ? [{ ...task, points: accepted.get(task.bucket)! }] : []));
  const points = new Map<TaskId, number>();
  const limits = new Map<ReadBucket, number>();
  let neededLimit = firstLimit;
  while (neededLimit < count + excluded.size) neededLimit *= 2;
  // A call between others may need less. What was read ahead for it is enough.
  const minLimit = Math.max(neededLimit, lastLimit);
  lastLimit = neededLimit * 4 > minLimit ? minLimit : neededLimit;
  for (;;) {
    if (options.scoreMore) {
      const ids = [...(due ?? []), ...buckets.flatMap(({ tasks = [] }) => tasks)]
        .map(({ taskId }) => taskId)
        .filter((id) => !points.has(id));
      const more = ids.length > 0 ? await options.scoreMore(ids) : undefined;
      for (const id of ids) points.set(id, more?.get(id) ?? 0);
    }
    const { selected, unread } = selectRanked({
      count,
      buckets,
      due,
      today,
      excluded,
      getMorePoints: (id) => points.get(id) ?? 0,
    });
    if (unread.length === 0) return selected;
    await Promise.all(
      unread.slice(0, maxBucketsAtOnce).map(async (bucket) => {
        const limit = limits.has(bucket) ? limits.get(bucket)! * 4 : minLimit;
        limits.set(bucket, limit);
        bucket.tasks = await store.ranks.listBest({ root, bucket: bucket.bucket, order, limit });
        bucket.isComplete = bucket.tasks.length < limit;
      }),
    );
  }
}

/** The last day whose tasks get points for their due date. */
const getDueBy = (today: string): string => formatIsoTime(Date.parse(today) + dueSoonDays * 86_400_000).slice(0, 10);

/** Finds the assignees whose tasks are reserved for them. Without assigned tasks nothing is loaded for it. */
async function findReservedNames(ctx: SelectContext, names: (string | undefined)[]): Promise<Set<string> | undefined> {
  const given = new Set(names.filter((name) => name !== undefined));
  return given.size === 0 ? undefined : (await import('./assignee.ts')).findReservedNames(ctx, [...given]);
}
