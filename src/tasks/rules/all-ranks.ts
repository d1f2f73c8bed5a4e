import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { removeDuplicates } from '#lib/collections.ts';
import type { OpenTask, OpenWork } from '../model/open-work.ts';
import type { RankFacts, TaskRank } from '../model/rank.ts';
import { computeRanks } from './ranks.ts';

/** Computes the ranks of all open work. */
export const computeAllRanks = (work: OpenWork): TaskRank[] => computeRanks(listRankFacts(work));

/** Finds the tasks and containers whose stored ranks differ from those of the open work. */
export function findStaleRanks(stored: TaskRank[], work: OpenWork): TaskId[] {
  const format = (rank: TaskRank): string =>
    [rank.bucket, rank.parentId, rank.isContainer, rank.scoreKey, rank.urgencyKey, rank.due ?? ''].join('\t');
  const toPlace = ({ taskId, bucket }: TaskRank): string => `${taskId}\n${bucket}`;
  const expected = new Map(computeAllRanks(work).map((rank) => [toPlace(rank), rank]));
  const stale = stored.filter((rank) => {
    const right = expected.get(toPlace(rank));
    expected.delete(toPlace(rank));
    return right === undefined || format(right) !== format(rank);
  });
  return removeDuplicates([...stale, ...expected.values()].map(({ taskId }) => taskId)).sort((a, b) => toTaskNumber(a) - toTaskNumber(b));
}

function listRankFacts({ tasks, depends, startedParents, planned = [] }: OpenWork): RankFacts[] {
  const dependents = new Map<TaskId, number>();
  const waiting = new Set<TaskId>();
  for (const { taskId, dependsOn } of depends) {
    waiting.add(taskId);
    dependents.set(dependsOn, (dependents.get(dependsOn) ?? 0) + 1);
  }
  const plans = new Map(planned.map((plan) => [plan.taskId, plan]));
  const parents = new Set<TaskId>();
  for (const { parentId } of tasks) if (parentId !== undefined) parents.add(parentId);
  const toFacts = (taskId: TaskId, task?: OpenTask): RankFacts => {
    const plan = plans.get(taskId);
    return {
      taskId,
      task: task && plan ? { ...task, assignee: plan.assignee, due: plan.due } : task,
      isWaiting: waiting.has(taskId),
      hasOpenChildren: parents.has(taskId),
      hasStartedChild: startedParents.has(taskId),
      dependents: dependents.get(taskId) ?? 0,
    };
  };
  const open = new Set(tasks.map(({ id }) => id));
  return [...tasks.map((task) => toFacts(task.id, task)), ...[...parents].filter((id) => !open.has(id)).map((id) => toFacts(id))];
}
