import type { Claim } from '#core/model/audit.ts';
import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';
import { formatHolder, isExpired } from './claims.ts';
import { canBePlaced, getChildTier } from './hierarchy.ts';
import { findCycle, type TaskLinks } from './order.ts';

export interface IntegrityFacts {
  tasks: { id: TaskId; type: TaskType; status: Status; parentId?: TaskId; archivedAt?: string }[];
  depends: { from: TaskId; to: TaskId }[];
  relations: { from: TaskId; to: TaskId }[];
  claims: Claim[];
  /** Blocked tasks without `blockedBy`. */
  blockedWithoutReason: TaskId[];
  maxSiblings: number;
  ttlMinutes: number;
  /** Claims are compared with this time. */
  now: string;
}

type TaskProblemKind =
  | 'orphan'
  | 'hierarchy'
  | 'cycle'
  | 'dangling'
  | 'kin'
  | 'open-children'
  | 'siblings'
  | 'no-reason'
  | 'stale-claim'
  | 'stale-evidence'
  | 'stale-citation';

export interface TaskProblem {
  kind: TaskProblemKind;
  severity: 'error' | 'warning';
  taskId: TaskId;
  message: string;
  fix: string;
}

/** Checks all tasks together. Operations prevent these problems, except stale claims, missing reasons and, after the limit was
 *  lowered, too many siblings. Sorted by severity, then by kind, then in the order of the tasks. */
export function findProblems(facts: IntegrityFacts): TaskProblem[] {
  const byId = new Map(facts.tasks.map((task) => [task.id, task]));
  const links = buildLinks(facts, byId);
  return [
    ...findOrphans(facts, byId),
    ...findDanglingDepends(facts, byId),
    ...findMisplacedTasks(facts, byId),
    ...findCycleProblems(facts, links),
    ...findOpenChildren(facts, byId),
    ...findContainedRelations(facts, byId),
    ...findCrowdedParents(facts, byId),
    ...findUnexplainedBlocks(facts),
    ...findStaleClaims(facts),
  ];
}

type TasksById = Map<TaskId, IntegrityFacts['tasks'][number]>;

const findOrphans = ({ tasks }: IntegrityFacts, byId: TasksById): TaskProblem[] =>
  tasks
    .filter(({ parentId }) => parentId !== undefined && !byId.has(parentId))
    .map(({ id, parentId }) => ({
      kind: 'orphan',
      severity: 'error',
      taskId: id,
      message: `${id} is inside ${parentId}, which does not exist`,
      fix: 'cleo doctor --fix',
    }));

const findDanglingDepends = ({ depends }: IntegrityFacts, byId: TasksById): TaskProblem[] =>
  depends
    .filter(({ from, to }) => byId.has(from) && !byId.has(to))
    .map(({ from, to }) => ({
      kind: 'dangling',
      severity: 'error',
      taskId: from,
      message: `${from} depends on ${to}, which does not exist`,
      fix: 'cleo doctor --fix',
    }));

function findMisplacedTasks({ tasks }: IntegrityFacts, byId: TasksById): TaskProblem[] {
  return tasks.flatMap((task): TaskProblem[] => {
    const parent = task.parentId === undefined ? undefined : byId.get(task.parentId);
    if ((task.parentId !== undefined && !parent) || canBePlaced(task.type, parent?.type)) return [];
    const tier = getChildTier(parent?.type);
    const message = parent
      ? `${task.id} is a ${task.type} inside the ${parent.type} ${parent.id}`
      : `${task.id} is a ${task.type} without a parent`;
    const fix = canBePlaced(tier, parent?.type)
      ? `cleo update ${task.id} --type ${tier}`
      : `cleo update ${task.id} --parent none --type task`;
    return [{ kind: 'hierarchy', severity: 'error', taskId: task.id, message, fix }];
  });
}

const maxCycles = 20;

/** Reports each cycle once: the search removes an edge of the cycle from `links` and continues. */
function findCycleProblems({ tasks }: IntegrityFacts, links: TaskLinks): TaskProblem[] {
  const problems: TaskProblem[] = [];
  const ids = tasks.map(({ id }) => id);
  for (let path = findCycle(ids, links); path && problems.length < maxCycles; path = findCycle(ids, links)) {
    const cut = breakCycle(path, links);
    problems.push({
      kind: 'cycle',
      severity: 'error',
      taskId: path[0]!,
      message: `dependency cycle: ${path.join(' → ')}`,
      fix: cut,
    });
  }
  return problems;
}

/** Removes one edge of the cycle from `links`, preferably a dependency, and returns the command that removes it from the store. */
function breakCycle(path: TaskId[], links: TaskLinks): string {
  const steps = path.slice(1).map((to, i) => ({ from: path[i]!, to }));
  const depends = steps.find(({ from, to }) => links.dependsOf.get(from)?.includes(to));
  if (depends) {
    const { from, to } = depends;
    links.dependsOf.set(
      from,
      links.dependsOf.get(from)!.filter((id) => id !== to),
    );
    return `cleo update ${from} --remove-depends ${to}`;
  }
  const child = steps.map(({ from, to }) => (links.parentOf.get(from) === to ? from : to)).find((id) => links.parentOf.has(id)) ?? path[0]!;
  const parent = links.parentOf.get(child);
  links.parentOf.delete(child);
  if (parent)
    links.childrenOf.set(
      parent,
      (links.childrenOf.get(parent) ?? []).filter((id) => id !== child),
    );
  return `cleo update ${child} --parent none`;
}

function findOpenChildren({ tasks }: IntegrityFacts, byId: TasksById): TaskProblem[] {
  const open = new Map<TaskId, TaskId[]>();
  for (const { id, status, parentId, archivedAt } of tasks)
    if (parentId !== undefined && status !== 'done' && archivedAt === undefined) addToList(open, parentId, id);
  return [...open]
    .filter(([parent]) => byId.get(parent)?.status === 'done')
    .map(([parent, children]) => ({
      kind: 'open-children',
      severity: 'error',
      taskId: parent,
      message: `${parent} is done, but ${children.slice(0, 5).join(', ')}${children.length > 5 ? ' …' : ''} inside it ${children.length === 1 ? 'is' : 'are'} not`,
      fix: `cleo reopen ${parent}`,
    }));
}

/** Relations between parent and child; earlier versions allowed them. */
const findContainedRelations = ({ relations }: IntegrityFacts, byId: TasksById): TaskProblem[] =>
  relations
    .filter(({ from, to }) => byId.get(from)?.parentId === to || byId.get(to)?.parentId === from)
    .map(({ from, to }) => ({
      kind: 'kin',
      severity: 'warning',
      taskId: from,
      message: `${from} is related to ${to}, but one contains the other`,
      fix: `cleo relates remove ${from} ${to}`,
    }));

function findCrowdedParents({ tasks, maxSiblings }: IntegrityFacts, byId: TasksById): TaskProblem[] {
  if (maxSiblings === 0) return [];
  const count = new Map<TaskId, number>();
  for (const { status, parentId, archivedAt } of tasks)
    if (parentId !== undefined && status !== 'done' && archivedAt === undefined) count.set(parentId, (count.get(parentId) ?? 0) + 1);
  return [...count]
    .filter(([parent, children]) => children > maxSiblings && byId.has(parent) && byId.get(parent)?.type !== 'saga')
    .map(([parent, children]) => ({
      kind: 'siblings',
      severity: 'warning',
      taskId: parent,
      message: `${parent} has ${children} open children; the limit is ${maxSiblings}`,
      fix: `cleo list --parent ${parent}`,
    }));
}

const findUnexplainedBlocks = (facts: IntegrityFacts): TaskProblem[] =>
  facts.blockedWithoutReason.map((id) => ({
    kind: 'no-reason',
    severity: 'warning',
    taskId: id,
    message: `${id} is blocked without a reason`,
    fix: `cleo update ${id} --clear-blocked-by`,
  }));

const findStaleClaims = ({ claims, now, ttlMinutes }: IntegrityFacts): TaskProblem[] =>
  claims
    .filter((claim) => isExpired(claim, now, ttlMinutes))
    .map((claim) => ({
      kind: 'stale-claim',
      severity: 'warning',
      taskId: claim.taskId,
      message: `${claim.taskId} is held by ${formatHolder(claim)}, who last wrote at ${claim.renewedAt}`,
      fix: 'cleo doctor --fix',
    }));

/** Leaves out edges to missing tasks: they are reported as such and cannot be part of a cycle. */
function buildLinks({ tasks, depends }: IntegrityFacts, byId: TasksById): TaskLinks {
  const links: TaskLinks = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  for (const { id, parentId } of tasks) {
    if (parentId === undefined || !byId.has(parentId)) continue;
    links.parentOf.set(id, parentId);
    addToList(links.childrenOf, parentId, id);
  }
  for (const { from, to } of depends) if (byId.has(from) && byId.has(to)) addToList(links.dependsOf, from, to);
  return links;
}
