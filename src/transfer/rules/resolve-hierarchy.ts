import type { Status, TaskId } from '#core/model/scalars.ts';
import { withArticle } from '#lib/article.ts';
import { addToList } from '#lib/collections.ts';
import { defined } from '#lib/defined.ts';
import { breakCycles } from './break-cycles.ts';
import { canTakeStatus, type ImportNode, type ImportState, shortenName } from './import-state.ts';
import { type HierarchyPositions, type IncomingTask, placeTasks } from './placement.ts';
import type { ImportPlacement } from './records.ts';

export interface ResolvedHierarchy {
  placements: Map<TaskId, ImportPlacement>;
  /** True for a stored task whose placement changes. */
  isChanged(id: TaskId): boolean;
  flattened: HierarchyPositions['flattened'];
}

/** Resolves parents, tiers, dependencies and the tasks to reopen, for the state after the import. */
export function resolveHierarchy(state: ImportState): ResolvedHierarchy {
  const { snapshot, nodes, byId } = state;
  const { positions, flattened } = placeNodes(state);
  const storedDepends = groupEdges(snapshot.depends);
  const dependsOf = new Map(storedDepends);
  for (const node of nodes)
    if (node.changed.has('depends')) dependsOf.set(node.id, resolveDepends(state, node, storedDepends.get(node.id) ?? []));
  const getParent = (id: TaskId): TaskId | undefined => (positions.get(id) ?? snapshot.tasks.get(id))?.parentId;
  const allIds = [...new Set([...snapshot.tasks.keys(), ...byId.keys()])];
  const contains = allIds.flatMap((to) => {
    const from = getParent(to);
    return from === undefined ? [] : [{ from, to }];
  });
  const links = { parentOf: new Map(contains.map(({ from, to }) => [to, from])), childrenOf: groupEdges(contains), dependsOf };
  for (const { from, to } of breakCycles([...byId.keys()], links, (id) => state.importedIds.has(id)))
    state.losses.push({
      id: state.getSourceId(from),
      field: 'depends',
      why: `dependency on ${state.getSourceId(to)} left out: it would create a cycle`,
    });
  const reopenedIds = reopenParents(state, allIds, getParent);
  const placements = new Map<TaskId, ImportPlacement>();
  const changedIds = new Set<TaskId>();
  for (const id of allIds) {
    const before = snapshot.tasks.get(id);
    const { type, parentId } = positions.get(id) ?? before!;
    const depends = links.dependsOf.get(id) ?? [];
    const isReopened = reopenedIds.has(id);
    const isChanged =
      before && (before.type !== type || before.parentId !== parentId || isReopened || depends !== (storedDepends.get(id) ?? depends));
    if (isChanged) changedIds.add(id);
    if (isChanged || byId.has(id)) placements.set(id, defined({ type, parentId, depends, isReopened }));
  }
  return { placements, isChanged: (id) => changedIds.has(id), flattened };
}

function placeNodes({ snapshot, nodes, byId, findTaskId, reportLoss, getSourceId }: ImportState): HierarchyPositions {
  const incoming = nodes.map((node): IncomingTask => {
    const { id, task, changed, earlier } = node;
    const parentInFile = task.parent === undefined ? undefined : findTaskId(task.parent);
    const parentId = !earlier || changed.has('parent') ? parentInFile : snapshot.tasks.get(id)?.parentId;
    if (task.parent !== undefined && parentInFile === undefined && (!earlier || changed.size > 0))
      reportLoss(node, 'parent', `${shortenName(task.parent)} is not in the file`);
    return { ...defined({ id, parentId, hint: task.hint }), canMove: !earlier || changed.has('parent') || changed.has('hint') };
  });
  const result = placeTasks(incoming, snapshot.tasks);
  for (const id of result.detached) reportLoss(byId.get(id)!, 'parent', 'it contains itself; moved to the top level');
  for (const { id, inside } of result.flattened)
    reportLoss(
      byId.get(id)!,
      'parent',
      `${shortenName(getSourceId(inside))} is a subtask and cannot contain tasks; placed next to it, as related`,
    );
  for (const id of result.kept) reportLoss(byId.get(id)!, 'parent', `the children of ${id} would not fit; its position is unchanged`);
  for (const node of nodes) {
    const { type } = result.positions.get(node.id)!;
    if (node.task.hint === 'epic' && (type === 'task' || type === 'subtask') && (!node.earlier || node.changed.has('hint')))
      reportLoss(node, 'type', `an epic in the source, ${withArticle(type)} here because of its parent`);
  }
  return result;
}

/** Combines the dependencies of the file with stored ones on tasks that did not come from this source. */
function resolveDepends({ findTaskId, reportLoss, importedIds }: ImportState, node: ImportNode, storedDepends: TaskId[]): TaskId[] {
  const depends = new Set<TaskId>();
  for (const sourceId of node.task.depends) {
    const id = findTaskId(sourceId);
    if (id === node.id) reportLoss(node, 'depends', 'it depends on itself');
    else if (id) depends.add(id);
    else reportLoss(node, 'depends', `${shortenName(sourceId)} is not in the file`);
  }
  for (const id of node.earlier ? storedDepends : []) if (!importedIds.has(id)) depends.add(id);
  return [...depends];
}

/** Reopens done tasks that contain an open one. */
function reopenParents(state: ImportState, allIds: TaskId[], getParent: (id: TaskId) => TaskId | undefined): Set<TaskId> {
  const { snapshot, byId } = state;
  const getStatus = (id: TaskId): Status => {
    const node = byId.get(id);
    return node && canTakeStatus(node, snapshot, state.reportLoss) ? node.task.status : snapshot.tasks.get(id)!.status;
  };
  const statuses = new Map(allIds.map((id) => [id, getStatus(id)]));
  const reopenedIds = new Set<TaskId>();
  for (const id of allIds) {
    if (statuses.get(id) === 'done') continue;
    for (let up = getParent(id); up !== undefined && statuses.get(up) === 'done'; up = getParent(up)) {
      statuses.set(up, 'pending');
      reopenedIds.add(up);
      const node = byId.get(up);
      const why = `done, but it contains ${state.getSourceId(id)}, which is not; imported as pending`;
      if (node) state.reportLoss(node, 'status', why);
      else state.losses.push({ id: up, field: 'status', why });
    }
  }
  for (const node of state.nodes)
    if (node.task.isArchived && statuses.get(node.id) !== 'done' && (!node.earlier || node.changed.size > 0))
      state.reportLoss(node, 'isArchived', 'only done tasks can be archived');
  return reopenedIds;
}

function groupEdges(edges: { from: TaskId; to: TaskId }[]): Map<TaskId, TaskId[]> {
  const groups = new Map<TaskId, TaskId[]>();
  for (const { from, to } of edges) addToList(groups, from, to);
  return groups;
}
