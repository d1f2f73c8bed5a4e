import type { Status, TaskId } from '#core/model/scalars.ts';
import type { RelationEdge } from '#tasks/model/relation.ts';
import { canTakeStatus, type ImportState, shortenName } from './import-state.ts';
import type { ResolvedHierarchy } from './resolve-hierarchy.ts';

export function collectRelations(
  { source, nodes, findTaskId, reportLoss }: ImportState,
  { placements, flattened }: ResolvedHierarchy,
): RelationEdge[] {
  const relations = new Map<string, RelationEdge>();
  const relate = (from: TaskId, to: TaskId, reason: string): void => {
    const isContained = placements.get(from)?.parentId === to || placements.get(to)?.parentId === from;
    if (from !== to && !isContained && !relations.has(`${to} ${from}`))
      relations.set(`${from} ${to}`, { from, to, type: 'related', reason });
  };
  for (const { id, inside } of flattened) relate(id, inside, `inside it in ${source}`);
  for (const node of nodes)
    for (const sourceId of node.changed.has('related') ? node.task.related : []) {
      const to = findTaskId(sourceId);
      if (to) relate(node.id, to, `related in ${source}`);
      else reportLoss(node, 'related', `${shortenName(sourceId)} is not in the file`);
    }
  return [...relations.values()];
}

/** Lists parents of new tasks that now exceed the limit of open children, which an import may do but `add` may not. */
export function listCrowdedParents({ snapshot, nodes, byId }: ImportState, { placements }: ResolvedHierarchy): TaskId[] {
  if (snapshot.maxSiblings === 0) return [];
  const openChildren = new Map<TaskId, number>();
  const countOpen = (status: Status, parentId: TaskId | undefined): void => {
    if (parentId && status !== 'done') openChildren.set(parentId, (openChildren.get(parentId) ?? 0) + 1);
  };
  for (const [id, { status, parentId }] of snapshot.tasks) if (!placements.has(id)) countOpen(status, parentId);
  for (const [id, { parentId, isReopened }] of placements) {
    const node = byId.get(id);
    const status = node && canTakeStatus(node, snapshot) ? node.task.status : (snapshot.tasks.get(id)?.status ?? 'pending');
    countOpen(isReopened ? 'pending' : status, parentId);
  }
  const isLimited = (id: TaskId): boolean => ['epic', 'task'].includes((placements.get(id) ?? snapshot.tasks.get(id))?.type ?? '');
  const newParents = new Set(nodes.filter(({ earlier }) => !earlier).flatMap(({ id }) => placements.get(id)?.parentId ?? []));
  return [...newParents].filter((id) => isLimited(id) && (openChildren.get(id) ?? 0) > snapshot.maxSiblings);
}
