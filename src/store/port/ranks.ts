import type { TaskId } from '#core/model/scalars.ts';
import type { RankBucket, RankedTask, RankOrder, TaskRank, TitledFacts } from '#tasks/model/rank.ts';

interface RankQuery {
  /** Only this task and what is below it. */
  root: TaskId | undefined;
  bucket: string;
  order: RankOrder;
  limit: number;
}

type DueTask = RankedTask & { bucket: string };

export interface RankReads {
  /** The buckets of the tasks that can be started in the root, or in the project. */
  listBuckets(root: TaskId | undefined, order: RankOrder): Promise<RankBucket[]>;
  /** The best tasks of one bucket, best first. */
  listBest(query: RankQuery): Promise<RankedTask[]>;
  /** The tasks that can be started in the root and are due on this day or before; unordered. Undefined if more than `limit` tasks of the
   *  project are due. */
  listDue(root: TaskId | undefined, order: RankOrder, dueBy: string, limit: number): Promise<DueTask[] | undefined>;
  /** What the score of a task consists of, and its title; unordered. */
  getScoreFacts(ids: TaskId[]): Promise<TitledFacts[]>;
  /** All ranks, for checks. Unordered. */
  listAll(): Promise<TaskRank[]>;
  /** Sends the reads of `expectClosing`. */
  readClosing(id: TaskId): Promise<unknown>;
}

export interface RankWrites {
  /** Replaces all ranks. */
  replaceAll(ranks: TaskRank[]): Promise<void>;
  /** Reads what the ranks will depend on when this open task is done, so that nothing has to be read after it was written. If the
   *  transaction changes something else, the ranks are read then. */
  expectClosing(id: TaskId): Promise<void>;
}
