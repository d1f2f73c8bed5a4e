import type { Status, TaskId } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';
import { withArticle } from '#lib/noun.ts';
import { breakCycles } from './break-cycles.ts';
import type { ComparedField } from './import-base.ts';
import { type ImportNode, type ImportState, shortenName, takesTheirs } from './import-state.ts';
import { type HierarchyPositions, type IncomingTask, placeTasks } from './placement.ts';
import type { ImportPlacement } from './records.ts';
import { mergeLists } from './three-way.ts';

export interface ResolvedHierarchy {
  placements: Map<TaskId, ImportPlacement>;
  /** True for a stored task whose placement or status changes. */
  isChanged(id: TaskId): boolean;
  flattened: HierarchyPositions['flattened'];
}

/** Resolves parents, tiers, dependencies and states, for the state after the import. Tasks of the file that were not changed here are
 *  resolved as if they were imported for the first time, so that what an earlier import had to adapt returns once it can. */
export function resolveHierarchy(state: ImportState, getBaseDepends: (node: ImportNode) => TaskId[] | undefined): ResolvedHierarchy {
  const { snapshot, nodes, byId } = state;
  const { positions, flattened } = placeNodes(state);
  const storedDepends = groupEdges(snapshot.depends);
  const dependsOf = new Map(storedDepends);
  for (const node of nodes)
    dependsOf.set(node.taskId, resolveDepends(state, node, storedDepends.get(node.taskId) ?? noDepends, getBaseDepends));
  const getParent = (id: TaskId): TaskId | undefined => (positions.get(id) ?? snapshot.tasks.get(id))?.parentId;
  // The order of the file, so that a cycle is cut at the same place whatever was imported before.
  const allIds = [...byId.keys()];
  for (const id of snapshot.tasks.keys()) if (!byId.has(id)) allIds.push(id);
  const links = { parentOf: new Map<TaskId, TaskId>(), childrenOf: new Map<TaskId, TaskId[]>(), dependsOf };
  for (const id of allIds) {
    const parent = getParent(id);
    if (parent === undefined) continue;
    links.parentOf.set(id, parent);
    addToList(links.childrenOf, parent, id);
  }
  for (const { from, to } of breakCycles([...byId.keys()], links, (id) => state.importedIds.has(id))) {
    const node = byId.get(from);
    if (!node || isNews(node) || storedDepends.get(from)?.includes(to))
      state.losses.push({
        id: state.getSourceId(from),
        field: 'depends',
        why: `dependency on ${state.getSourceId(to)} left out: it would create a cycle`,
      });
  }
  const { reopenedIds, takenIds } = resolveStatuses(state, allIds, getParent);
  const placements = new Map<TaskId, ImportPlacement>();
  const changedIds = new Set<TaskId>();
  for (const id of allIds) {
    const before = snapshot.tasks.get(id);
    const { type, parentId } = positions.get(id) ?? before!;
    const depends = links.dependsOf.get(id) ?? noDepends;
    const isReopened = reopenedIds.has(id);
    const takesStatus = takenIds.has(id);
    const isChanged =
      before &&
      (before.type !== type ||
        before.parentId !== parentId ||
        isReopened ||
        takesStatus ||
        !isSameList(depends, storedDepends.get(id) ?? noDepends));
    if (isChanged) changedIds.add(id);
    if (isChanged || byId.has(id)) placements.set(id, { type, parentId, depends, isReopened, takesStatus });
  }
  return { placements, isChanged: (id) => changedIds.has(id), flattened };
}

/** A loss is reported when a record is new or changed, not again with every import. */
const isNews = (node: ImportNode): boolean => !node.earlier || node.changed.size > 0;

const isSameList = (a: TaskId[], b: TaskId[]): boolean => a === b || (a.length === b.length && a.every((id, i) => id === b[i]));

function placeNodes(state: ImportState): HierarchyPositions {
  const { snapshot, nodes, byId, findTaskId, reportLoss, getSourceId } = state;
  const incoming = nodes.map((node): IncomingTask => {
    const { taskId: id, parent, hint, earlier } = node;
    const parentInFile = parent === undefined ? undefined : findTaskId(parent);
    const storedParent = snapshot.tasks.get(id)?.parentId;
    const takesParent = takesTheirs(state, node, ['parent'], parentInFile === storedParent);
    if (parent !== undefined && parentInFile === undefined && parent !== node.impliedParent && isNews(node))
      reportLoss(node, 'parent', `${shortenName(parent)} is not in the file`);
    const canMove = takesParent && !node.isOlder && !(earlier && node.local?.changed.has('hint'));
    return { id, parentId: takesParent ? parentInFile : storedParent, hint, canMove };
  });
  const result = placeTasks(incoming, snapshot.tasks);
  const reportNews = (id: TaskId, field: string, why: string): void => {
    const node = byId.get(id)!;
    if (isNews(node)) reportLoss(node, field, why);
  };
  for (const id of result.detached) reportNews(id, 'parent', 'it contains itself; moved to the top level');
  for (const { id, inside } of result.flattened)
    reportNews(id, 'parent', `${shortenName(getSourceId(inside))} is a subtask and cannot contain tasks; placed next to it, as related`);
  for (const id of result.kept) reportNews(id, 'parent', `the children of ${id} would not fit; its position is unchanged`);
  for (const node of nodes) {
    const { type } = result.positions.get(node.taskId)!;
    if (node.hint === 'epic' && (type === 'task' || type === 'subtask') && (!node.earlier || node.changed.has('hint')))
      reportLoss(node, 'type', `an epic in the source, ${withArticle(type)} here because of its parent`);
  }
  return result;
}

const noDepends: TaskId[] = [];

/** Resolves the dependencies of a task. Those that were added or removed here stay so. */
function resolveDepends(
  { findTaskId, reportLoss, importedIds }: ImportState,
  node: ImportNode,
  stored: TaskId[],
  getBaseDepends: (node: ImportNode) => TaskId[] | undefined,
): TaskId[] {
  if (node.isOlder) return stored;
  const isChangedHere = node.earlier !== undefined && node.local?.changed.has('depends') === true;
  if (isChangedHere && !node.changed.has('depends')) return stored;
  if (node.depends.length === 0 && !node.local) return noDepends;
  const depends = new Set<TaskId>();
  for (const sourceId of node.depends) {
    const id = findTaskId(sourceId);
    if (id && id !== node.taskId) depends.add(id);
    else if (isNews(node)) reportLoss(node, 'depends', id ? 'it depends on itself' : `${shortenName(sourceId)} is not in the file`);
  }
  if (!node.local) return [...depends];
  const base = getBaseDepends(node) ?? stored.filter((id) => importedIds.has(id));
  return mergeLists(base, stored, [...depends]);
}

/** Decides which tasks take their status from the source, and reopens done tasks that contain an open one. */
function resolveStatuses(state: ImportState, allIds: TaskId[], getParent: (id: TaskId) => TaskId | undefined) {
  const { snapshot, byId, nodes } = state;
  const takenIds = new Set<TaskId>();
  for (const node of nodes) if (canTakeStatus(state, node, snapshot.requiresEvidence)) takenIds.add(node.taskId);
  const statuses = new Map<TaskId, Status>();
  for (const id of allIds) statuses.set(id, takenIds.has(id) ? byId.get(id)!.status : snapshot.tasks.get(id)!.status);
  const reopenedIds = new Set<TaskId>();
  for (const id of allIds) {
    if (statuses.get(id) === 'done') continue;
    for (let up = getParent(id); up !== undefined && statuses.get(up) === 'done'; up = getParent(up)) {
      const node = byId.get(up);
      // It was done here only.
      if (node && !node.isOlder && node.status !== 'done' && !snapshot.heldIds.has(up)) {
        statuses.set(up, node.status);
        takenIds.add(up);
        continue;
      }
      statuses.set(up, 'pending');
      // The task was reopened by an earlier import already.
      if (node?.earlier && snapshot.tasks.get(up)?.status === 'pending') {
        takenIds.delete(up);
        if (!node.changed.has('status')) continue;
      } else reopenedIds.add(up);
      const why = `done, but it contains ${state.getSourceId(id)}, which is not; imported as pending`;
      if (node) state.reportLoss(node, 'status', why);
      else state.losses.push({ id: up, field: 'status', why });
    }
  }
  for (const node of nodes)
    if (node.isArchived && statuses.get(node.taskId) !== 'done' && isNews(node))
      state.reportLoss(node, 'isArchived', 'only done tasks can be archived');
  return { reopenedIds, takenIds };
}

/** The status, how a task ended and whether it is in the archive are one value: a task that was archived here must not leave the archive
 *  because its status did not change. */
const statusFields = ['status', 'isArchived', 'resolution'] as const satisfies ComparedField[];

/** A task that an agent holds, or that needs evidence to be done, keeps its status: a file proves nothing. `needsEvidence` is set if the
 *  project requires evidence of all tasks, also for those with children: the file could bring a child that is done. */
function canTakeStatus(state: ImportState, node: ImportNode, needsEvidence: boolean): boolean {
  const { earlier, changed, local, status, taskId } = node;
  const before = state.snapshot.tasks.get(taskId);
  if (!earlier || !before) return true;
  const isChangedThere = statusFields.some((field) => changed.has(field));
  const isEqual = before.status === status && (before.archivedAt !== undefined) === (node.isArchived && status === 'done');
  if (isEqual && !isChangedThere) return false;
  if (!takesTheirs(state, node, statusFields, isEqual && !changed.has('status'))) return false;
  const isHeld = state.snapshot.heldIds.has(taskId) && before.status !== status;
  const isFinished = status === 'done' && before.status !== 'done';
  const lacksEvidence = isFinished && (local?.hasEvidence === true || (needsEvidence && !node.isCancelled));
  const report = (why: string): void => {
    if (isChangedThere) state.reportLoss(node, 'status', `${why}; it stays ${before.status}`);
  };
  if (isHeld) report(`an agent holds ${taskId}`);
  else if (lacksEvidence) report(`${taskId} lacks evidence`);
  return !isHeld && !lacksEvidence;
}

function groupEdges(edges: { from: TaskId; to: TaskId }[]): Map<TaskId, TaskId[]> {
  const groups = new Map<TaskId, TaskId[]>();
  for (const { from, to } of edges) addToList(groups, from, to);
  return groups;
}
