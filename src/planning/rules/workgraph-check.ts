import '#tasks/errors.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Claim } from '#core/model/audit.ts';
import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { HolderState, TaskRecord } from '#tasks/model/task.ts';
import { formatHolder } from '#tasks/rules/claims.ts';
import { changesFrozenCriteria, editCriteria } from '#tasks/rules/edit.ts';
import { checkChildren, checkPlacement } from '#tasks/rules/hierarchy.ts';
import { findCycles, type TaskLinks } from '#tasks/rules/order.ts';
import { formatScope, isInScope } from '#tasks/rules/scope.ts';
import { maxHierarchyDepth } from './plan-graph.ts';
import { type GraphFinding, toFinding } from './workgraph-parse.ts';
import { type GraphKey, type GraphRelation, type GraphTask, type ResolvedGraph, toPayloadName } from './workgraph-resolve.ts';

interface IdPair {
  from: TaskId;
  to: TaskId;
}

type ExistingRelation = { from: TaskId; to: TaskId; type: string };

/** Stored data about all tasks that a payload touches. */
export interface GraphFacts {
  /** Named tasks, their ancestors, and the children of moved and deleted tasks. */
  tasks: Map<TaskId, TaskRecord>;
  /** Children of moved and deleted tasks. */
  children: IdPair[];
  /** Open children of tasks that get new children. */
  openChildren: IdPair[];
  /** Tasks that depend on deleted ones. */
  dependents: IdPair[];
  relations: ExistingRelation[];
  /** Live claims of other agents on moved and deleted tasks. */
  claims: (Claim & { state: HolderState })[];
  /** Dependencies of the planned tasks after the payload is applied. */
  links: TaskLinks;
  maxSiblings: number;
  session: SessionHandle | undefined;
}

/** Finds everything that is wrong with a resolved payload. It checks the final state: a limit is not exceeded if a later entry makes
 *  room. The findings have the error codes of the single operations. */
export function findGraphErrors(resolved: ResolvedGraph, facts: GraphFacts): GraphFinding[] {
  const state = createFinalState(resolved, facts);
  return dropRepeatedFindings([
    ...resolved.created.flatMap((task) => findPlacementErrors(task, state)),
    ...resolved.updated.flatMap((task) => [...findPlacementErrors(task, state), ...findUpdateErrors(task)]),
    ...findSiblingErrors(state),
    ...[...resolved.deleted].flatMap(([id, pointer]) => findDeletionErrors(id, pointer, state)),
    ...resolved.relations.flatMap((relation) => findRelationErrors(relation, state)),
    ...findRelatedParentErrors(state),
    ...findCycleErrors(state),
  ]);
}

/** The tasks as they will be after the payload is applied. */
interface FinalState {
  facts: GraphFacts;
  resolved: ResolvedGraph;
  planned: Map<GraphKey, GraphTask>;
  getTask(key: GraphKey): { type: TaskType; status: Status; parentId?: GraphKey | undefined } | undefined;
  /** Lists a task and its ancestors, the task first. */
  getAncestors(key: GraphKey | undefined): { id: string; type: TaskType; status: Status; key: GraphKey }[];
}

function createFinalState(resolved: ResolvedGraph, facts: GraphFacts): FinalState {
  const planned = new Map([...resolved.created, ...resolved.updated].map((task) => [task.key, task]));
  const getTask = (key: GraphKey) => planned.get(key) ?? facts.tasks.get(key);
  const getAncestors: FinalState['getAncestors'] = (start) => {
    const found: ReturnType<FinalState['getAncestors']> = [];
    for (let key = start, depth = 0; key !== undefined && depth < maxHierarchyDepth; key = getTask(key)?.parentId, depth++) {
      const task = getTask(key);
      if (task) found.push({ id: toPayloadName(key), key, type: task.type, status: task.status });
    }
    return found;
  };
  return { facts, resolved, planned, getTask, getAncestors };
}

/** Lists the new ancestors of a task that already exist. */
export const listFinalAncestors = (resolved: ResolvedGraph, facts: GraphFacts, { parentId }: GraphTask): { id: TaskId }[] =>
  createFinalState(resolved, facts)
    .getAncestors(parentId)
    .filter(({ key }) => facts.tasks.has(key));

export const isMoved = ({ before, parentId, type }: GraphTask): boolean => !before || before.parentId !== parentId || before.type !== type;

/** Checks the type, the parent, the scope and the claim of a task. */
function findPlacementErrors(task: GraphTask, state: FinalState): GraphFinding[] {
  const { facts } = state;
  const { before, pointers, type } = task;
  const found: GraphFinding[] = [];
  const at = pointers.parent ?? pointers.type ?? task.pointer;
  if (isMoved(task)) {
    const ancestry = state.getAncestors(task.parentId);
    // An unknown parent has been reported already.
    const isKnown = task.parentId !== undefined || task.entry.parent === undefined || task.entry.parent === 'none';
    if (isKnown) found.push(...catchFinding(at, () => checkPlacement({ type, ancestry, openSiblings: 0, maxSiblings: 0, isOpen: false })));
    const [parent] = ancestry;
    if (parent?.status === 'done' && task.status !== 'done')
      found.push(toFinding(at, new CleoError('E_TASK_COMPLETED', { taskId: parent.id, act: 'adding to it', fix: '' })));
    const isRoot = before && facts.session?.scope.root === before.id;
    if (isKnown && !isRoot && (!before || before.parentId !== task.parentId)) found.push(...findScopeErrors(at, task.key, ancestry, facts));
  }
  if (before) {
    found.push(...findScopeErrors(task.pointer, task.key, [{ key: task.key }, ...getCurrentAncestry(before, facts)], facts));
    if (isMoved(task)) found.push(...findClaimErrors(before.id, task.pointer, facts));
    const staying = facts.children.filter(({ from, to }) => from === before.id && remainsChild(to, before.id, state));
    const children = staying.flatMap(({ to }) => (state.planned.has(to) ? [] : (facts.tasks.get(to) ?? [])));
    if (before.type !== type) found.push(...catchFinding(at, () => checkChildren({ id: before.id, type }, children)));
  }
  return found;
}

/** Returns true if the payload neither deletes nor moves the child. */
const remainsChild = (child: TaskId, parent: TaskId, { planned, resolved }: FinalState): boolean =>
  !resolved.deleted.has(child) && (!planned.has(child) || planned.get(child)?.parentId === parent);

function getCurrentAncestry({ parentId }: TaskRecord, { tasks }: GraphFacts): { key: GraphKey }[] {
  const found: { key: GraphKey }[] = [];
  for (let id = parentId; id !== undefined && found.length < maxHierarchyDepth; id = tasks.get(id)?.parentId) found.push({ key: id });
  return found;
}

function findScopeErrors(pointer: string, key: GraphKey, ancestry: { key: GraphKey }[], { session }: GraphFacts): GraphFinding[] {
  const ids = ancestry.map(({ key }) => ({ id: key }));
  if (!session || isInScope(session.scope, ids)) return [];
  const facts = { what: toPayloadName(key), scope: formatScope(session.scope), sessionId: session.id, better: 'global' };
  return [toFinding(pointer, new CleoError('E_TASK_NOT_IN_SCOPE', facts))];
}

function findClaimErrors(id: TaskId, pointer: string, { claims }: GraphFacts): GraphFinding[] {
  const claim = claims.find(({ taskId }) => taskId === id);
  const facts = claim && {
    taskId: id,
    holder: formatHolder(claim),
    since: claim.claimedAt,
    lastSeen: claim.renewedAt,
    state: claim.state,
    focus: '',
    claim: '',
  };
  return facts ? [toFinding(pointer, new CleoError('E_TASK_CLAIMED', facts))] : [];
}

/** Checks the expected revision and frozen acceptance criteria of an updated task. */
function findUpdateErrors({ before, entry, pointer }: GraphTask): GraphFinding[] {
  if (!before) return [];
  const found: GraphFinding[] = [];
  if (entry.expectRevision !== undefined && entry.expectRevision !== before.revision) {
    const facts = { taskId: before.id, expected: entry.expectRevision, actual: before.revision };
    found.push(toFinding(`${pointer}/expectRevision`, new CleoError('E_CONCURRENT_MODIFICATION', facts)));
  }
  const { acceptance, acceptEvidence, reason } = entry;
  if (changesFrozenCriteria(before, { acceptance: editCriteria(before.acceptance, { acceptance, acceptEvidence }) }, reason)) {
    const at = acceptance ? 'acceptance' : 'acceptEvidence';
    found.push(toFinding(`${pointer}/${at}`, new CleoError('E_VALIDATION_FROZEN', { taskId: before.id, retry: '' })));
  }
  return found;
}

/** Reports new open children beyond the limit, in payload order. Existing children beyond it are not reported. */
function findSiblingErrors(state: FinalState): GraphFinding[] {
  const { created, updated } = state.resolved;
  const { openChildren, maxSiblings } = state.facts;
  const open = new Map<GraphKey, number>();
  for (const { from, to } of openChildren) if (remainsChild(to, from, state)) open.set(from, (open.get(from) ?? 0) + 1);
  return [...updated, ...created].flatMap(({ parentId, before, status, pointers, pointer }): GraphFinding[] => {
    if (parentId === undefined || status === 'done' || before?.parentId === parentId) return [];
    const count = (open.get(parentId) ?? 0) + 1;
    open.set(parentId, count);
    const isLimited = maxSiblings > 0 && state.getTask(parentId)?.type !== 'saga';
    if (!isLimited || count <= maxSiblings) return [];
    return [toFinding(pointers.parent ?? pointer, new CleoError('E_SIBLING_LIMIT', { parent: toPayloadName(parentId), max: maxSiblings }))];
  });
}

function findDeletionErrors(id: TaskId, pointer: string, state: FinalState): GraphFinding[] {
  const { facts, resolved, planned } = state;
  const task = facts.tasks.get(id);
  if (!task) return [];
  const found = [
    ...findScopeErrors(pointer, id, [{ key: id }, ...getCurrentAncestry(task, facts)], facts),
    ...findClaimErrors(id, pointer, facts),
  ];
  if (task.status === 'done')
    found.push(toFinding(pointer, new CleoError('E_TASK_COMPLETED', { taskId: id, act: 'deleting it', fix: '' })));
  const children = facts.children.filter(({ from, to }) => from === id && remainsChild(to, id, state)).map(({ to }) => to);
  if (children.length > 0) found.push(toFinding(pointer, new CleoError('E_HAS_CHILDREN', { taskId: id, children, act: 'delete' })));
  const dependents = facts.dependents
    .filter(({ from, to }) => from === id && !resolved.deleted.has(to) && (planned.get(to)?.depends.includes(id) ?? true))
    .map(({ to }) => to);
  if (dependents.length > 0) found.push(toFinding(pointer, new CleoError('E_HAS_DEPENDENTS', { taskId: id, dependents, retry: '' })));
  return found;
}

function findRelationErrors({ from, to, isRemoved, pointer }: GraphRelation, state: FinalState): GraphFinding[] {
  if (isRemoved) return [];
  const names = { from: toPayloadName(from), to: toPayloadName(to) };
  if (from === to) return [toFinding(pointer, new CleoError('E_CIRCULAR_REFERENCE', { path: [names.from, names.to], what: 'depends' }))];
  const isContained = state.getTask(from)?.parentId === to || state.getTask(to)?.parentId === from;
  return isContained ? [toFinding(pointer, new CleoError('E_INVALID_RELATION', names))] : [];
}

/** Finds tasks that move below a task they are related to. */
function findRelatedParentErrors({ resolved, facts }: FinalState): GraphFinding[] {
  const removed = resolved.relations.filter(({ isRemoved }) => isRemoved);
  const isRemoved = (stored: ExistingRelation): boolean =>
    removed.some(({ from, to, type }) => stored.from === from && stored.to === to && (type === undefined || stored.type === type));
  return resolved.updated.flatMap(({ key, parentId, before, pointers, pointer }) => {
    const connects = (stored: ExistingRelation): boolean =>
      (stored.from === key && stored.to === parentId) || (stored.to === key && stored.from === parentId);
    const relation = parentId !== before?.parentId && facts.relations.find((stored) => connects(stored) && !isRemoved(stored));
    return relation ? [toFinding(pointers.parent ?? pointer, new CleoError('E_INVALID_RELATION', relation))] : [];
  });
}

/** Reports each cycle at a pointer that is part of it. */
function findCycleErrors({ planned, facts }: FinalState): GraphFinding[] {
  const findPointer = (from: GraphKey, to: GraphKey): string | undefined =>
    planned.get(from)?.pointers.depends.get(to) ?? getParentPointer(planned.get(from), to) ?? getParentPointer(planned.get(to), from);
  const found: GraphFinding[] = [];
  const reported = new Set<string>();
  for (const path of findCycles([...planned.keys()], facts.links)) {
    // Entries that contain each other give two cycles, one of starts and one of finishes. They are one mistake.
    const members = [...new Set(path)].sort().join();
    if (reported.has(members)) continue;
    reported.add(members);
    const [pointer] = path.slice(1).flatMap((to, i) => findPointer(path[i]!, to) ?? []);
    const what = pointer?.endsWith('/parent') ? 'parent' : 'depends';
    found.push(toFinding(pointer ?? '', new CleoError('E_CIRCULAR_REFERENCE', { path: shortenPath(path.map(toPayloadName)), what })));
  }
  return found;
}

const getParentPointer = (child: GraphTask | undefined, parent: GraphKey): string | undefined =>
  child?.parentId === parent ? child.pointers.parent : undefined;

const shortenPath = (path: string[]): string[] => (path.length > 12 ? [...path.slice(0, 8), '…', ...path.slice(-3)] : path);

function catchFinding(pointer: string, check: () => void): GraphFinding[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof CleoError) return [toFinding(pointer, error)];
    throw error;
  }
}

/** Removes findings with the same code and pointer. */
function dropRepeatedFindings(findings: GraphFinding[]): GraphFinding[] {
  const seen = new Set<string>();
  return findings.filter(({ pointer, code }) => {
    const isNew = !seen.has(`${code} ${pointer}`);
    seen.add(`${code} ${pointer}`);
    return isNew;
  });
}
