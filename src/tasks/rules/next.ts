import type { Caller, Claim } from '#core/model/audit.ts';
import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import type { OpenTask, OpenWork } from '../model/open-work.ts';
import type { ScoreFacts } from '../model/rank.ts';
import type { ScoredTask } from '../model/task.ts';
import { formatHolder, isHolder } from './claims.ts';
import { maxDuePoints, scoreDue } from './due.ts';
import {
  conflictPoints,
  maxDependentPoints,
  phasePoints,
  priorityPoints,
  scoreDependents,
  scoreSize,
  siblingPoints,
  sizePoints,
} from './score.ts';

interface NextOptions {
  /** A lapsed claim does not protect its task. */
  isLapsed(claim: Claim): boolean;
  /** Only this task and its descendants. */
  within?: TaskId | undefined;
  /** The phase of the caller's session. */
  phase?: string | undefined;
  /** A task is not taken over from the caller itself. */
  caller?: Caller;
  /** Tasks that share a file with a task that another agent works on, and why. */
  conflicts?: ReadonlyMap<TaskId, string> | undefined;
  /** Tasks that are assigned to others. */
  reserved?: ReadonlySet<TaskId> | undefined;
  /** The date of the call, for due dates. */
  today?: string;
}

/** Scores one task and lists the points behind the score. */
export function scoreTask(facts: ScoreFacts, options: Pick<NextOptions, 'phase' | 'today' | 'caller'>, claims: Claim[]) {
  const { task, dependents, conflict } = facts;
  const due = options.today === undefined ? undefined : scoreDue(facts.due, options.today);
  const points = scoreFacts(facts, options, due?.points ?? 0);
  return {
    taskId: task.id,
    score: sumPoints(points),
    reasons: [...listReasons(task, points, dependents, conflict, due?.term), ...listTakeOverReasons(task, claims, options.caller)],
  };
}

const scoreFacts = (
  { task, dependents, hasStartedSibling, conflict }: ScoreFacts,
  { phase }: Pick<NextOptions, 'phase'>,
  duePoints: number,
): ScorePoints => ({
  priority: priorityPoints[task.priority],
  dependents: scoreDependents(dependents),
  siblings: hasStartedSibling ? siblingPoints : 0,
  phase: phase !== undefined && task.phase === phase ? phasePoints : 0,
  size: scoreSize(task),
  conflict: conflict === undefined ? 0 : conflictPoints,
  due: duePoints,
});

/** Ranks the tasks that can be handed out, best first, with the points behind each score; ties go to the lower id. It reads all open work:
 *  `next` answers the same from stored ranks, and a test compares the two. */
export function rankTasks(work: OpenWork, options: NextOptions, count: number): Omit<ScoredTask, 'title'>[] {
  const dependents = new Map<TaskId, number>();
  for (const { dependsOn } of work.depends) dependents.set(dependsOn, (dependents.get(dependsOn) ?? 0) + 1);
  const due = createDueScores(work, options);
  const dueDates = new Map(work.planned?.map((plan) => [plan.taskId, plan.due]));
  const toFacts = (task: OpenTask): ScoreFacts => ({
    task,
    dependents: dependents.get(task.id) ?? 0,
    hasStartedSibling: task.parentId !== undefined && work.startedParents.has(task.parentId),
    due: dueDates.get(task.id),
    conflict: options.conflicts?.get(task.id),
  });
  // The points that a task can have besides those of its priority. Most tasks are out of reach of the best by it.
  let maxOtherPoints =
    sizePoints.small + (work.startedParents.size > 0 ? siblingPoints : 0) + (options.phase === undefined ? 0 : phasePoints);
  if (dependents.size > 0) maxOtherPoints += maxDependentPoints;
  if (due.size > 0) maxOtherPoints += maxDuePoints;
  const getRank = (task: OpenTask, minRank: number): number => {
    const bound = priorityPoints[task.priority] + maxOtherPoints;
    return bound < minRank ? bound : sumPoints(scoreFacts(toFacts(task), options, due.get(task.id)?.points ?? 0));
  };
  return takeTop(work.tasks, count, getRank, createFreeCheck(work, options)).map(({ task }) =>
    scoreTask(toFacts(task), options, work.claims),
  );
}

/** Lists the tasks that can be started and that nobody holds. A task that is active without a claim in force is one of them:
 *  its agent stopped without finishing it. */
export const listFreeTasks = (work: OpenWork, options: NextOptions): OpenTask[] => work.tasks.filter(createFreeCheck(work, options));

function createFreeCheck(work: OpenWork, { isLapsed, within, reserved }: NextOptions): (task: OpenTask) => boolean {
  const heldIds = new Set(work.claims.filter((claim) => !isLapsed(claim)).map(({ taskId }) => taskId));
  const isStartable = createStartableCheck(work, within);
  return (task) => isStartable(task) && !heldIds.has(task.id) && !reserved?.has(task.id);
}

/** Selects the free tasks and those that the caller holds itself, by priority and due date, then by id. */
export function selectReadyTasks(work: OpenWork, options: NextOptions & { caller: Caller }): OpenTask[] {
  const claims = work.claims.filter((claim) => !isHolder(claim, options.caller));
  const due = createDueScores(work, options);
  const getRank = (task: OpenTask): number => priorityPoints[task.priority] + (due.get(task.id)?.points ?? 0);
  return takeTop(work.tasks, work.tasks.length, getRank, createFreeCheck({ ...work, claims }, options)).map(({ task }) => task);
}

/** Maps the tasks whose due date gives points to the points and their reason. */
function createDueScores({ planned = [] }: OpenWork, { today }: NextOptions): Map<TaskId, { term: string; points: number }> {
  const scores = new Map<TaskId, { term: string; points: number }>();
  if (today !== undefined) for (const { taskId, due } of planned) if (due !== undefined) scores.set(taskId, scoreDue(due, today));
  return scores;
}

interface RankedTask {
  task: OpenTask;
  rank: number;
}

/** Returns the `count` highest ranks among the tasks that pass `isCandidate`; ties go to the lower id. Inserting into a short list is
 *  cheaper than sorting a thousand tasks for three, and most tasks are ranked too low to be checked. `getRank` may return an upper bound
 *  that is below `minRank`. */
function takeTop(
  tasks: OpenTask[],
  count: number,
  getRank: (task: OpenTask, minRank: number) => number,
  isCandidate: (task: OpenTask) => boolean,
): RankedTask[] {
  const compare = (a: RankedTask, b: RankedTask): number => b.rank - a.rank || toTaskNumber(a.task.id) - toTaskNumber(b.task.id);
  if (count > maxInsertCount)
    return tasks
      .filter(isCandidate)
      .map((task) => ({ task, rank: getRank(task, Number.NEGATIVE_INFINITY) }))
      .sort(compare)
      .slice(0, count);
  const best: RankedTask[] = [];
  for (const task of tasks) {
    const minRank = best.length === count ? best[count - 1]!.rank : Number.NEGATIVE_INFINITY;
    const rank = getRank(task, minRank);
    if (rank < minRank || !isCandidate(task)) continue;
    const candidate = { task, rank };
    const at = best.findIndex((other) => compare(candidate, other) < 0);
    best.splice(at < 0 ? best.length : at, 0, candidate);
    if (best.length > count) best.pop();
  }
  return best;
}

const maxInsertCount = 10;

/** Checks for a task or subtask without open children or open dependencies that is not blocked. Dependencies and blocks of a container
 *  hold for all its descendants. */
function createStartableCheck(work: OpenWork, within: TaskId | undefined): (task: OpenTask) => boolean {
  // Only parents are stored, one by one: allocations for a thousand tasks would cost a cold start a garbage collection.
  const parents = new Map<TaskId, OpenTask | undefined>();
  for (const { parentId } of work.tasks) if (parentId !== undefined) parents.set(parentId, undefined);
  for (const task of work.tasks) if (parents.has(task.id)) parents.set(task.id, task);
  const waiting = new Set<TaskId>();
  for (const { taskId } of work.depends) waiting.add(taskId);
  return (task) => {
    if ((task.type !== 'task' && task.type !== 'subtask') || parents.has(task.id)) return false;
    let isInside = within === undefined;
    for (
      let at: OpenTask | undefined = task, level = 0;
      at && level < maxDepth;
      at = at.parentId ? parents.get(at.parentId) : undefined, level++
    ) {
      if (waiting.has(at.id) || at.status === 'blocked') return false;
      // A done root is not among the open tasks, so its children are compared by `parentId`.
      isInside ||= at.id === within || at.parentId === within;
    }
    return isInside;
  };
}

/** The hierarchy has four tiers; the limit only guards against a cycle in a damaged store. */
const maxDepth = 10;

type ScorePoints = Record<'priority' | 'dependents' | 'siblings' | 'phase' | 'size' | 'conflict' | 'due', number>;

const sumPoints = (points: ScorePoints): number =>
  points.priority + points.dependents + points.siblings + points.phase + points.size + points.conflict + points.due;

function listReasons(
  task: OpenTask,
  points: ScorePoints,
  dependents: number,
  conflict: string | undefined,
  due: string | undefined,
): ScoredTask['reasons'] {
  const reasons: ScoredTask['reasons'] = [
    { term: `priority ${task.priority}`, points: points.priority },
    { term: dependents === 1 ? '1 open task depends on it' : `${dependents} open tasks depend on it`, points: points.dependents },
    { term: 'a sibling is active or done', points: points.siblings },
    { term: `phase ${task.phase}`, points: points.phase },
    { term: `size ${task.size}`, points: points.size },
    { term: due ?? '', points: points.due },
    { term: conflict ?? '', points: points.conflict },
  ];
  return reasons.filter((reason) => reason.points !== 0);
}

/** A free task that still has a claim is taken over from its holder. */
const listTakeOverReasons = ({ id }: OpenTask, claims: Claim[], caller: Caller | undefined): ScoredTask['reasons'] =>
  claims
    .filter((claim) => claim.taskId === id && !(caller && isHolder(claim, caller)))
    .map((claim) => ({ term: `taken over from ${formatHolder(claim)}`, points: 0 }));
