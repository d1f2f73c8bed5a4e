import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';
import type { BestChildren, RankFacts, TaskRank } from '../model/rank.ts';
import { priorityPoints, scoreOwnPoints, siblingPoints } from './score.ts';

/** A key consists of the points, the other way around so that more points are a smaller key, and the number of the task. */
const keyUnit = 10_000_000_000;
const maxPoints = 1000;

export const toRankKey = (points: number, id: TaskId): number => (maxPoints - points) * keyUnit + toTaskNumber(id);

/** Returns what more points subtract from a key. */
export const toKeyDistance = (points: number): number => points * keyUnit;

export const getKeyPoints = (key: number): number => maxPoints - Math.floor(key / keyUnit);

/** Tasks of one bucket have the same assignee and phase, so that a caller accepts all or none of them, with the same extra points. Neither
 *  name has line breaks. */
export const toBucket = (assignee: string | undefined, phase: string | undefined): string => `${assignee ?? ''}\n${phase ?? ''}`;

export function parseBucket(bucket: string): { assignee?: string | undefined; phase?: string | undefined } {
  const end = bucket.indexOf('\n');
  return { assignee: bucket.slice(0, end) || undefined, phase: bucket.slice(end + 1) || undefined };
}

/** Computes the ranks of these tasks. `facts` must contain every open parent of a task that it contains. `others` are the best of their
 *  children that are not in `facts`; without it there are none. */
export function computeRanks(facts: RankFacts[], others: BestChildren[] = []): TaskRank[] {
  const byId = new Map(facts.map((one) => [one.taskId, one]));
  const childrenOf = new Map<TaskId, RankFacts[]>();
  for (const one of facts) {
    const parentId = one.task?.parentId;
    if (parentId !== undefined && byId.has(parentId)) addToList(childrenOf, parentId, one);
  }
  const othersOf = new Map<TaskId, BestChildren[]>();
  for (const best of others) addToList(othersOf, best.parentId, best);
  const ranks = new Map<TaskId, TaskRank[]>();
  const rank = (one: RankFacts): TaskRank[] => {
    const known = ranks.get(one.taskId);
    if (known) return known;
    // A cycle in a damaged store ends here.
    ranks.set(one.taskId, noRanks);
    const below = childrenOf.get(one.taskId)?.flatMap(rank) ?? noRanks;
    const more = othersOf.get(one.taskId);
    const canRank = canContain(one) && (below.length > 0 || more !== undefined);
    const own = isReadyItself(one) ? [toOwnRank(one)] : canRank ? rankContainer(one, below, more ?? []) : noRanks;
    ranks.set(one.taskId, own);
    return own;
  };
  return facts.flatMap(rank);
}

/** One list for all tasks without ranks, which are most of a batch. */
const noRanks: TaskRank[] = [];

type OwnFacts = RankFacts & { task: NonNullable<RankFacts['task']> };

/** Checks whether a task can be started, as far as it decides itself. Its containers may be blocked or waiting. */
const isReadyItself = (one: RankFacts): one is OwnFacts =>
  one.task !== undefined &&
  (one.task.type === 'task' || one.task.type === 'subtask') &&
  one.task.status !== 'blocked' &&
  !one.isWaiting &&
  !one.hasOpenChildren;

/** What is inside a blocked or waiting container cannot be started. A container that is done does not matter to what is inside. */
const canContain = ({ task, isWaiting }: RankFacts): boolean => task === undefined || (task.status !== 'blocked' && !isWaiting);

const toOwnRank = ({ task, dependents }: OwnFacts): TaskRank => ({
  taskId: task.id,
  bucket: toBucket(task.assignee, task.phase),
  parentId: task.parentId ?? '',
  isContainer: false,
  scoreKey: toRankKey(scoreOwnPoints(task, dependents), task.id),
  urgencyKey: toRankKey(priorityPoints[task.priority], task.id),
  due: task.due,
});

function rankContainer({ taskId, task, hasStartedChild }: RankFacts, below: TaskRank[], others: BestChildren[]): TaskRank[] {
  const bonus = hasStartedChild ? toKeyDistance(siblingPoints) : 0;
  const best = new Map<string, TaskRank>();
  const add = (bucket: string, scoreKey: number, urgencyKey: number): void => {
    const known = best.get(bucket);
    if (!known) best.set(bucket, { taskId, bucket, parentId: task?.parentId ?? '', isContainer: true, scoreKey, urgencyKey });
    else {
      known.scoreKey = Math.min(known.scoreKey, scoreKey);
      known.urgencyKey = Math.min(known.urgencyKey, urgencyKey);
    }
  };
  for (const rank of below) add(rank.bucket, rank.isContainer ? rank.scoreKey : rank.scoreKey - bonus, rank.urgencyKey);
  for (const { bucket, taskScoreKey = Number.POSITIVE_INFINITY, containerScoreKey = Number.POSITIVE_INFINITY, urgencyKey } of others)
    add(bucket, Math.min(taskScoreKey - bonus, containerScoreKey), urgencyKey);
  return [...best.values()];
}
