import type { TaskId } from '#core/model/scalars.ts';
import type { RelationEdge } from '#tasks/model/relation.ts';
import type { ImportLoss } from '../model/foreign.ts';
import type { ImportDraft } from './import-draft.ts';
import {
  createImportState,
  type ImportConflict,
  type ImportNode,
  type ImportState,
  type StoreSnapshot,
  shortenName,
} from './import-state.ts';
import type { ImportPlacement } from './records.ts';
import { type ResolvedHierarchy, resolveHierarchy } from './resolve-hierarchy.ts';
import type { ConflictPolicy } from './three-way.ts';

export interface ImportPlan {
  created: ImportNode[];
  /** Tasks of the file that exist and change, in their fields or their placement. */
  updated: ImportNode[];
  /** Tasks that are not in the file, but whose placement changes because of it. */
  moved: { id: TaskId; placement: ImportPlacement }[];
  placements: Map<TaskId, ImportPlacement>;
  /** Relations of tasks that are new or change. */
  relations: RelationEdge[];
  /** Checks whether the file relates two tasks, in either direction. */
  isRelated(a: TaskId, b: TaskId): boolean;
  /** All tasks of the file that exist after the import. */
  ids: { id: string; taskId: TaskId }[];
  losses: ImportLoss[];
  conflicts: ImportConflict[];
  /** Parents with more open children than `add` would allow. */
  crowdedParents: TaskId[];
}

export interface PlanOptions {
  policy: ConflictPolicy;
  /** A record of which only the time of change is newer updates that time. */
  takesTimes: boolean;
}

/** Turns a file into tasks that satisfy all rules. Values that do not fit are adapted or left out, and reported as losses. A task that
 *  was imported before is merged with its record: each side keeps what only it changed. */
export function planImport(
  draft: ImportDraft,
  snapshot: StoreSnapshot,
  reservedIds: TaskId[],
  { policy, takesTimes }: PlanOptions,
): ImportPlan {
  const state = createImportState(draft, snapshot, reservedIds, policy);
  const hierarchy = resolveHierarchy(state, (node) => draft.parseBase(node)?.depends);
  const { placements, isChanged } = hierarchy;
  const created = state.nodes.filter(({ earlier }) => !earlier);
  const updated = state.nodes.filter(
    ({ earlier, isOlder, isNewer, changed, taskId }) =>
      earlier && !isOlder && (changed.size > 0 || isChanged(taskId) || (isNewer && takesTimes)),
  );
  const written = new Set(created);
  for (const node of updated) written.add(node);
  const related = collectRelations(state, hierarchy, written);
  const quietIds = new Set<string>();
  for (const node of state.nodes) if (node.earlier && node.changed.size === 0) quietIds.add(node.id);
  const moved: ImportPlan['moved'] = [];
  for (const [id, placement] of placements) if (!state.byId.has(id) && isChanged(id)) moved.push({ id, placement });
  return {
    created,
    updated,
    moved,
    placements,
    relations: related.filter(({ from }) => written.has(state.byId.get(from)!)),
    isRelated: createRelationCheck(related),
    ids: state.nodes.map(({ id, taskId }) => ({ id, taskId })),
    losses: [...draft.losses.filter(({ id, isProblem }) => isProblem || !quietIds.has(id)), ...state.losses],
    conflicts: state.conflicts,
    crowdedParents: listCrowdedParents(state, hierarchy),
  };
}

/** A function of its own: a closure keeps everything alive that its function used, and the plan lives until the last task is written. */
function createRelationCheck(relations: RelationEdge[]): ImportPlan['isRelated'] {
  const pairs = new Set(relations.map(({ from, to }) => `${from} ${to}`));
  return (a, b) => pairs.has(`${a} ${b}`) || pairs.has(`${b} ${a}`);
}

function collectRelations(
  { source, nodes, findTaskId, reportLoss, snapshot }: ImportState,
  { placements, flattened }: ResolvedHierarchy,
  written: Set<ImportNode>,
): RelationEdge[] {
  const relations = new Map<string, RelationEdge>();
  // A task that is gone from the file keeps its parent.
  const getParent = (id: TaskId): TaskId | undefined => (placements.get(id) ?? snapshot.tasks.get(id))?.parentId;
  const relate = (from: TaskId, to: TaskId, reason: string): void => {
    const isContained = getParent(from) === to || getParent(to) === from;
    if (from !== to && !isContained && !relations.has(`${to} ${from}`))
      relations.set(`${from} ${to}`, { from, to, type: 'related', reason });
  };
  for (const { id, inside } of flattened) relate(id, inside, formatReason('inside it', source));
  for (const node of nodes)
    for (const sourceId of node.isOlder ? [] : node.related) {
      const to = findTaskId(sourceId);
      if (to) relate(node.taskId, to, formatReason('related', source));
      else if (written.has(node) && (!node.earlier || node.changed.has('related')))
        reportLoss(node, 'related', `${shortenName(sourceId)} is not in the file`);
    }
  return [...relations.values()];
}

const formatReason = (what: string, source: string): string => `${what} in ${source}`;

/** Checks whether an import created a relation. Only those are removed when the source does not have them any more. */
export const isImportedRelation = ({ type, reason }: Pick<RelationEdge, 'type' | 'reason'>, source: string): boolean =>
  type === 'related' && [formatReason('inside it', source), formatReason('related', source)].includes(reason);

/** Lists parents of new tasks that now exceed the limit of open children, which an import may do but `add` may not. */
function listCrowdedParents({ snapshot, nodes, byId }: ImportState, { placements }: ResolvedHierarchy): TaskId[] {
  if (snapshot.maxSiblings === 0) return [];
  const openChildren = new Map<TaskId, number>();
  const countOpen = (isOpen: boolean, parentId: TaskId | undefined): void => {
    if (parentId && isOpen) openChildren.set(parentId, (openChildren.get(parentId) ?? 0) + 1);
  };
  for (const [id, { status, parentId }] of snapshot.tasks) if (!placements.has(id)) countOpen(status !== 'done', parentId);
  for (const [id, { parentId, isReopened, takesStatus }] of placements) {
    const status = takesStatus ? byId.get(id)?.status : snapshot.tasks.get(id)?.status;
    countOpen(isReopened || status !== 'done', parentId);
  }
  const isLimited = (id: TaskId): boolean => ['epic', 'task'].includes((placements.get(id) ?? snapshot.tasks.get(id))?.type ?? '');
  const newParents = new Set<TaskId>();
  for (const { earlier, taskId } of nodes) {
    const parentId = earlier ? undefined : placements.get(taskId)?.parentId;
    if (parentId) newParents.add(parentId);
  }
  return [...newParents].filter((id) => isLimited(id) && (openChildren.get(id) ?? 0) > snapshot.maxSiblings);
}
