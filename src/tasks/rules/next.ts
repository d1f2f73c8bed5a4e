import type { Caller, Claim } from '#core/model/audit.ts';
import { type Priority, type Size, seqOf, type TaskId } from '#core/model/scalars.ts';
import type { OpenTask, OpenWork } from '../model/open-work.ts';
import { isExpired, isHolder } from './claims.ts';

export interface Asked {
  now: string;
  ttlMinutes: number;
  /** Only this task and what is inside it. */
  within?: TaskId | undefined;
  /** The phase that the caller is working in. */
  phase?: string | undefined;
}

export interface Reason {
  term: string;
  points: number;
}

export interface Recommended {
  taskId: TaskId;
  score: number;
  reasons: Reason[];
}

const priorityPoints: Record<Priority, number> = { critical: 400, high: 300, medium: 200, low: 100 };
const sizePoints: Record<Size, number> = { small: 10, medium: 5, large: 0 };
const perDependent = 25;
const mostForDependents = 150;
const forBegunSiblings = 50;
const forPhase = 20;

/** What to do next, best first, each with the points that put it there; ties by id. Only what is pending and free to begin. */
export function recommend(work: OpenWork, asked: Asked, count: number): Recommended[] {
  const dependents = new Map<TaskId, number>();
  for (const { dependsOn } of work.depends) dependents.set(dependsOn, (dependents.get(dependsOn) ?? 0) + 1);
  const held = heldTasks(work.claims, asked);
  const pointsOf = (task: OpenTask): Points => ({
    priority: priorityPoints[task.priority],
    dependents: Math.min((dependents.get(task.id) ?? 0) * perDependent, mostForDependents),
    siblings: task.parentId !== undefined && work.begunParents.has(task.parentId) ? forBegunSiblings : 0,
    phase: asked.phase !== undefined && task.phase === asked.phase ? forPhase : 0,
    size: task.size ? sizePoints[task.size] : 0,
  });
  const candidates = free(work, asked.within).filter((task) => task.status === 'pending' && !held.has(task.id));
  return first(candidates, count, (task) => sum(pointsOf(task))).map(({ task, rank }) => ({
    taskId: task.id,
    score: rank,
    reasons: reasonsOf(task, pointsOf(task), dependents.get(task.id) ?? 0),
  }));
}

/** What this caller may start now: free to begin, and held by nobody else. The most urgent first, then by id. */
export function ready(work: OpenWork, asked: Asked & { caller: Caller }): OpenTask[] {
  const held = heldTasks(
    work.claims.filter((claim) => !isHolder(claim, asked.caller)),
    asked,
  );
  const candidates = free(work, asked.within).filter((task) => !held.has(task.id));
  return first(candidates, candidates.length, (task) => priorityPoints[task.priority]).map(({ task }) => task);
}

interface Ranked {
  task: OpenTask;
  rank: number;
}

/** The highest ranks, ties by number. Of a thousand candidates three are asked for: choosing them costs less than sorting all. */
function first(tasks: OpenTask[], count: number, rankOf: (task: OpenTask) => number): Ranked[] {
  const compare = (a: Ranked, b: Ranked): number => b.rank - a.rank || seqOf(a.task.id) - seqOf(b.task.id);
  if (count > fewest)
    return tasks
      .map((task) => ({ task, rank: rankOf(task) }))
      .sort(compare)
      .slice(0, count);
  const best: Ranked[] = [];
  for (const task of tasks) {
    const rank = rankOf(task);
    if (best.length === count && rank < best[count - 1]!.rank) continue;
    const one = { task, rank };
    const at = best.findIndex((other) => compare(one, other) < 0);
    best.splice(at < 0 ? best.length : at, 0, one);
    if (best.length > count) best.pop();
  }
  return best;
}

const fewest = 10;

/** Tasks and subtasks with no open children, not blocked and waiting for nothing. What a container waits for, everything inside it
 *  waits for; what blocks a container blocks everything inside it. */
function free(work: OpenWork, within: TaskId | undefined): OpenTask[] {
  // Filled one by one, and with no more than is asked for: what a thousand tasks leave behind here, a cold start has to collect.
  const parents = new Map<TaskId, OpenTask | undefined>();
  for (const { parentId } of work.tasks) if (parentId !== undefined) parents.set(parentId, undefined);
  for (const task of work.tasks) if (parents.has(task.id)) parents.set(task.id, task);
  const waiting = new Set<TaskId>();
  for (const { taskId } of work.depends) waiting.add(taskId);
  const isFree = (task: OpenTask): boolean => {
    let isInside = within === undefined;
    for (
      let at: OpenTask | undefined = task, level = 0;
      at && level < deepest;
      at = at.parentId ? parents.get(at.parentId) : undefined, level++
    ) {
      if (waiting.has(at.id) || at.status === 'blocked') return false;
      // The root itself may be done, and then it is not among the open ones.
      isInside ||= at.id === within || at.parentId === within;
    }
    return isInside;
  };
  return work.tasks.filter((task) => (task.type === 'task' || task.type === 'subtask') && !parents.has(task.id) && isFree(task));
}

/** Saga, epic, task, subtask; a damaged store must not send us round in circles. */
const deepest = 10;

const heldTasks = (claims: Claim[], { now, ttlMinutes }: Asked): Set<TaskId> =>
  new Set(claims.filter((claim) => !isExpired(claim, now, ttlMinutes)).map((claim) => claim.taskId));

type Points = Record<'priority' | 'dependents' | 'siblings' | 'phase' | 'size', number>;

const sum = (points: Points): number => points.priority + points.dependents + points.siblings + points.phase + points.size;

function reasonsOf(task: OpenTask, points: Points, dependents: number): Reason[] {
  const reasons: Reason[] = [
    { term: `priority ${task.priority}`, points: points.priority },
    { term: dependents === 1 ? '1 open task depends on it' : `${dependents} open tasks depend on it`, points: points.dependents },
    { term: 'a sibling is active or done', points: points.siblings },
    { term: `phase ${task.phase}`, points: points.phase },
    { term: `size ${task.size}`, points: points.size },
  ];
  return reasons.filter((reason) => reason.points > 0);
}
