import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';
import { pluralize, withArticle } from '#lib/noun.ts';
import type { TaskRecord } from '../model/task.ts';
import { formatHolder, isExpired } from './claims.ts';
import { canBePlaced, getChildTier } from './hierarchy.ts';
import { findCycle, type TaskLinks } from './order.ts';

export interface IntegrityFacts {
  tasks: Pick<TaskRecord, 'id' | 'type' | 'status' | 'parentId' | 'archivedAt'>[];
  depends: { from: TaskId; to: TaskId }[];
  relations: { from: TaskId; to: TaskId }[];
  claims: Claim[];
  /** Blocked tasks without `blockedBy`. */
  blockedWithoutReason: TaskId[];
  /** Tasks whose stored ranks are not those that their fields give. */
  staleRanks: TaskId[];
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
  | 'stale-citation'
  | 'stale-rank';

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
  const openChildren = groupOpenChildren(facts);
  const problems = [
    ...findOrphans(facts, byId),
    ...findDanglingDepends(facts, byId),
    ...findMisplacedTasks(facts, byId),
    ...findCycleProblems(facts, buildLinks(facts, byId)),
    ...findOpenChildren(openChildren, byId),
    ...findContainedRelations(facts, byId),
    ...findCrowdedParents(openChildren, facts, byId),
    ...facts.blockedWithoutReason.map((id) =>
      createWarning('no-reason', id, `${id} is blocked without a reason`, `cleo update ${id} --clear-blocked-by`),
    ),
    ...findStaleClaims(facts),
  ];
  // Whatever changed the tasks has not computed their ranks. The fix of an error computes them again.
  return problems.some(({ severity }) => severity === 'error') ? problems : [...findStaleRanks(facts), ...problems];
}

type TasksById = Map<TaskId, IntegrityFacts['tasks'][number]>;

const createError = (kind: TaskProblemKind, taskId: TaskId, message: string, fix = 'cleo doctor --fix'): TaskProblem => ({
  kind,
  severity: 'error',
  taskId,
  message,
  fix,
});

const createWarning = (...args: Parameters<typeof createError>): TaskProblem => ({ ...createError(...args), severity: 'warning' });

const findOrphans = ({ tasks }: IntegrityFacts, byId: TasksById): TaskProblem[] =>
  tasks
    .filter(({ parentId }) => parentId !== undefined && !byId.has(parentId))
    .map(({ id, parentId }) => createError('orphan', id, `${id} is inside ${parentId}, which does not exist`));

const findDanglingDepends = ({ depends }: IntegrityFacts, byId: TasksById): TaskProblem[] =>
  depends
    .filter(({ from, to }) => byId.has(from) && !byId.has(to))
    .map(({ from, to }) => createError('dangling', from, `${from} depends on ${to}, which does not exist`));

const findMisplacedTasks = ({ tasks }: IntegrityFacts, byId: TasksById): TaskProblem[] =>
  tasks.flatMap(({ id, type, parentId }) => {
    const parent = parentId === undefined ? undefined : byId.get(parentId);
    if ((parentId !== undefined && !parent) || canBePlaced(type, parent?.type)) return [];
    const tier = getChildTier(parent?.type);
    const message = `${id} is ${withArticle(type)} ${parent ? `inside the ${parent.type} ${parent.id}` : 'without a parent'}`;
    const fix = `cleo update ${id} ${canBePlaced(tier, parent?.type) ? `--type ${tier}` : '--parent none --type task'}`;
    return [createError('hierarchy', id, message, fix)];
  });

const maxCycles = 20;

/** Reports each cycle once: the search removes an edge of the cycle from `links` and continues. */
function findCycleProblems({ tasks }: IntegrityFacts, links: TaskLinks): TaskProblem[] {
  const problems: TaskProblem[] = [];
  const ids = tasks.map(({ id }) => id);
  for (let path = findCycle(ids, links); path && problems.length < maxCycles; path = findCycle(ids, links))
    problems.push(createError('cycle', path[0]!, `dependency cycle: ${path.join(' → ')}`, breakCycle(path, links)));
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

function groupOpenChildren({ tasks }: IntegrityFacts): Map<TaskId, TaskId[]> {
  const open = new Map<TaskId, TaskId[]>();
  for (const { id, status, parentId, archivedAt } of tasks)
    if (parentId !== undefined && status !== 'done' && archivedAt === undefined) addToList(open, parentId, id);
  return open;
}

const findOpenChildren = (openChildren: Map<TaskId, TaskId[]>, byId: TasksById): TaskProblem[] =>
  [...openChildren]
    .filter(([parent]) => byId.get(parent)?.status === 'done')
    .map(([parent, children]) => {
      const names = `${children.slice(0, 5).join(', ')}${children.length > 5 ? ' …' : ''}`;
      const message = `${parent} is done, but ${names} inside it ${children.length === 1 ? 'is' : 'are'} not`;
      return createError('open-children', parent, message, `cleo reopen ${parent}`);
    });

/** One problem for all of them, because one wrong rank makes those of all containers above it wrong. */
const findStaleRanks = ({ staleRanks }: IntegrityFacts): TaskProblem[] =>
  staleRanks.slice(0, 1).map((id) => {
    const message = `the stored ranks of ${pluralize(staleRanks.length, 'task')} are outdated, beginning with ${id}, so that next may be wrong`;
    return createError('stale-rank', id, message);
  });

/** Relations between parent and child; earlier versions allowed them. */
const findContainedRelations = ({ relations }: IntegrityFacts, byId: TasksById): TaskProblem[] =>
  relations
    .filter(({ from, to }) => byId.get(from)?.parentId === to || byId.get(to)?.parentId === from)
    .map(({ from, to }) =>
      createWarning('kin', from, `${from} is related to ${to}, but one contains the other`, `cleo relates remove ${from} ${to}`),
    );

const findCrowdedParents = (openChildren: Map<TaskId, TaskId[]>, { maxSiblings }: IntegrityFacts, byId: TasksById): TaskProblem[] =>
  [...openChildren].flatMap(([parent, { length }]) => {
    const type = byId.get(parent)?.type;
    if (maxSiblings === 0 || length <= maxSiblings || !type || type === 'saga') return [];
    const message = `${parent} has ${length} open children; the limit is ${maxSiblings}`;
    return [createWarning('siblings', parent, message, `cleo list --parent ${parent}`)];
  });

const findStaleClaims = ({ claims, now, ttlMinutes }: IntegrityFacts): TaskProblem[] =>
  claims
    .filter((claim) => isExpired(claim, now, ttlMinutes))
    .map((claim) => {
      const message = `${claim.taskId} is held by ${formatHolder(claim)}, who last wrote at ${claim.renewedAt}`;
      return createWarning('stale-claim', claim.taskId, message);
    });

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
