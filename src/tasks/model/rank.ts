import type { TaskId } from '#core/model/scalars.ts';
import type { OpenTask, PlannedTask } from './open-work.ts';

/** The stored rank of a task that can be started, or of a container by the best task below it. */
export interface TaskRank {
  taskId: TaskId;
  /** The assignee and the phase of the task; of a container one of those below it. */
  bucket: string;
  /** Empty at the top. */
  parentId: TaskId | '';
  isContainer: boolean;
  /** By `next`: smaller is better. Without the points for a started sibling, unless it is a container. */
  scoreKey: number;
  /** By `ready`: smaller is better. */
  urgencyKey: number;
  due?: string | undefined;
}

/** The best children of a container that are tasks, and those that are containers. */
export interface BestChildren {
  parentId: TaskId;
  bucket: string;
  taskScoreKey?: number | undefined;
  containerScoreKey?: number | undefined;
  urgencyKey: number;
}

/** What the rank of a task depends on, besides the tasks below it. */
export interface RankFacts {
  taskId: TaskId;
  /** Undefined if the task is done, archived or deleted. */
  task?: (OpenTask & Pick<PlannedTask, 'assignee' | 'due'>) | undefined;
  /** It depends on a task that is not done. */
  isWaiting: boolean;
  hasOpenChildren: boolean;
  /** A child is active or done. */
  hasStartedChild: boolean;
  /** The number of open tasks that depend on it; exact up to `maxScoredDependents`. */
  dependents: number;
}

/** By which of its two keys a rank is sorted: `next` sorts by score, `ready` by urgency. */
export type RankOrder = 'score' | 'urgency';

export interface RankBucket {
  bucket: string;
  /** The key of the best task, or a smaller one. */
  bestKey: number;
}

/** A task that can be started, as far as only writes decide. */
export interface RankedTask {
  taskId: TaskId;
  /** With the points for a started sibling, if it is sorted by score. */
  key: number;
  due?: string | undefined;
  /** Only if it is sorted by score. */
  facts?: TitledFacts | undefined;
}

/** Facts about one recommended task. */
export interface ScoreFacts {
  task: OpenTask;
  /** Open tasks that depend on it. */
  dependents: number;
  hasStartedSibling: boolean;
  due?: string | undefined;
  conflict?: string | undefined;
}

export type TitledFacts = ScoreFacts & { title: string };
