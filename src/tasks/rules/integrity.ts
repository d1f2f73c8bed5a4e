import type { Claim } from '#core/model/audit.ts';
import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import { holderOf, isExpired } from './claims.ts';
import { fits, tierBelow } from './hierarchy.ts';
import { circle, type Links } from './order.ts';

export interface Facts {
  tasks: { id: TaskId; type: TaskType; status: Status; parentId?: TaskId; archivedAt?: string }[];
  depends: { from: TaskId; to: TaskId }[];
  relations: { from: TaskId; to: TaskId }[];
  claims: Claim[];
  /** Blocked, and nobody wrote why. */
  unexplained: TaskId[];
  maxSiblings: number;
  ttlMinutes: number;
  /** The moment by which claims are judged. */
  now: string;
}

export type ProblemKind =
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

export interface Problem {
  kind: ProblemKind;
  severity: 'error' | 'warning';
  taskId: TaskId;
  message: string;
  fix: string;
}

/** Everything that is wrong with the tasks as a whole; our own operations leave none of it but stale claims, missing
 *  reasons and, where the limit was lowered, too many siblings. The worst first, then by kind, then in the order of the tasks. */
export function problemsOf(facts: Facts): Problem[] {
  const byId = new Map(facts.tasks.map((task) => [task.id, task]));
  const links = linksOf(facts, byId);
  return [
    ...orphans(facts, byId),
    ...dangling(facts, byId),
    ...misplaced(facts, byId),
    ...circles(facts, links),
    ...unfinished(facts, byId),
    ...kin(facts, byId),
    ...crowded(facts, byId),
    ...unexplained(facts),
    ...stale(facts),
  ];
}

type ById = Map<TaskId, Facts['tasks'][number]>;

const orphans = ({ tasks }: Facts, byId: ById): Problem[] =>
  tasks
    .filter(({ parentId }) => parentId !== undefined && !byId.has(parentId))
    .map(({ id, parentId }) => ({
      kind: 'orphan',
      severity: 'error',
      taskId: id,
      message: `${id} is inside ${parentId}, which does not exist`,
      fix: 'cleo doctor --fix',
    }));

const dangling = ({ depends }: Facts, byId: ById): Problem[] =>
  depends
    .filter(({ from, to }) => byId.has(from) && !byId.has(to))
    .map(({ from, to }) => ({
      kind: 'dangling',
      severity: 'error',
      taskId: from,
      message: `${from} depends on ${to}, which does not exist`,
      fix: 'cleo doctor --fix',
    }));

function misplaced({ tasks }: Facts, byId: ById): Problem[] {
  return tasks.flatMap((task): Problem[] => {
    const parent = task.parentId === undefined ? undefined : byId.get(task.parentId);
    if ((task.parentId !== undefined && !parent) || fits(task.type, parent?.type)) return [];
    const tier = tierBelow(parent?.type);
    const message = parent
      ? `${task.id} is a ${task.type} inside the ${parent.type} ${parent.id}`
      : `${task.id} is a ${task.type} without a task around it`;
    const fix = fits(tier, parent?.type) ? `cleo update ${task.id} --type ${tier}` : `cleo update ${task.id} --parent none --type task`;
    return [{ kind: 'hierarchy', severity: 'error', taskId: task.id, message, fix }];
  });
}

const mostCircles = 20;

/** Each circle once: it is cut where it was found, and the search goes on. */
function circles({ tasks }: Facts, links: Links): Problem[] {
  const found: Problem[] = [];
  const ids = tasks.map(({ id }) => id);
  for (let path = circle(ids, links); path && found.length < mostCircles; path = circle(ids, links)) {
    const cut = cutOpen(path, links);
    found.push({
      kind: 'cycle',
      severity: 'error',
      taskId: path[0]!,
      message: `a circle that can never be worked off: ${path.join(' → ')}`,
      fix: cut,
    });
  }
  return found;
}

/** Takes one step of the circle away, a dependency if there is one in it; the command that does the same for good. */
function cutOpen(path: TaskId[], links: Links): string {
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

function unfinished({ tasks }: Facts, byId: ById): Problem[] {
  const open = new Map<TaskId, TaskId[]>();
  for (const { id, status, parentId, archivedAt } of tasks)
    if (parentId !== undefined && status !== 'done' && archivedAt === undefined) push(open, parentId, id);
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

/** Part and whole are not related otherwise; a store of an earlier version let them be. */
const kin = ({ relations }: Facts, byId: ById): Problem[] =>
  relations
    .filter(({ from, to }) => byId.get(from)?.parentId === to || byId.get(to)?.parentId === from)
    .map(({ from, to }) => ({
      kind: 'kin',
      severity: 'warning',
      taskId: from,
      message: `${from} is said to be related to ${to}, but one contains the other`,
      fix: `cleo relates remove ${from} ${to}`,
    }));

function crowded({ tasks, maxSiblings }: Facts, byId: ById): Problem[] {
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

const unexplained = (facts: Facts): Problem[] =>
  facts.unexplained.map((id) => ({
    kind: 'no-reason',
    severity: 'warning',
    taskId: id,
    message: `${id} is blocked, and nobody wrote why`,
    fix: `cleo update ${id} --clear-blocked-by`,
  }));

const stale = ({ claims, now, ttlMinutes }: Facts): Problem[] =>
  claims
    .filter((claim) => isExpired(claim, now, ttlMinutes))
    .map((claim) => ({
      kind: 'stale-claim',
      severity: 'warning',
      taskId: claim.taskId,
      message: `${claim.taskId} is held by ${holderOf(claim)}, who last wrote at ${claim.renewedAt}`,
      fix: 'cleo doctor --fix',
    }));

/** Only what exists: an edge into nothing is told as such, and is no part of a circle. */
function linksOf({ tasks, depends }: Facts, byId: ById): Links {
  const links: Links = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  for (const { id, parentId } of tasks) {
    if (parentId === undefined || !byId.has(parentId)) continue;
    links.parentOf.set(id, parentId);
    push(links.childrenOf, parentId, id);
  }
  for (const { from, to } of depends) if (byId.has(from) && byId.has(to)) push(links.dependsOf, from, to);
  return links;
}

function push(map: Map<TaskId, TaskId[]>, key: TaskId, value: TaskId): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
