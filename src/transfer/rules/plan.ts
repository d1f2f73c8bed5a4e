import { CleoError } from '#core/errors/error.ts';
import type { Status, TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import type { RelationEdge } from '#tasks/model/relation.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { ForeignData, ImportLoss } from '../model/foreign.ts';
import {
  canTakeStatus,
  createImportState,
  type EarlierImport,
  type ImportDraft,
  type ImportItem,
  type ImportState,
  type StoreSnapshot,
  shortenName,
} from './import-state.ts';
import { diffDigests, digestTask, normalizeTask } from './normalize-task.ts';
import { createRecord, type ImportPlacement, listNewNotes, mergeRecord } from './records.ts';
import { type ResolvedHierarchy, resolveHierarchy } from './resolve-hierarchy.ts';

export interface ImportPlan {
  created: { task: TaskRecord; notes: Note[] }[];
  updated: { before: TaskRecord; after: TaskRecord; notes: Note[] }[];
  /** Tasks that did not change in the source, but whose placement changes because of the others. */
  moved: { id: TaskId; placement: ImportPlacement }[];
  relations: RelationEdge[];
  mappings: { foreignId: string; taskId: TaskId; digest: string }[];
  /** All tasks of the file that exist after the import. */
  ids: { id: string; taskId: TaskId }[];
  losses: ImportLoss[];
  /** Parents with more open children than `add` would allow. */
  crowdedParents: TaskId[];
}

/** `origin` names the source in full, because a tool may have several. */
export function createImportDraft(file: ForeignData, earlierImports: Map<string, EarlierImport>, origin = file.source): ImportDraft {
  const seen = new Set<string>();
  for (const { id } of file.tasks) {
    if (seen.has(id)) throw new CleoError('E_ID_COLLISION', { id, fix: 'cleo help import' });
    seen.add(id);
  }
  const losses: ImportLoss[] = [];
  const items = file.tasks.map((foreign): ImportItem => {
    const task = normalizeTask(file.source, foreign, losses);
    const digest = digestTask(task, (id) => seen.has(id) || earlierImports.has(id));
    const earlier = earlierImports.get(task.id);
    return defined({ task, digest, earlier, changed: diffDigests(earlier?.digest, digest) });
  });
  return { source: file.source, origin, items, losses: [...file.losses, ...losses], earlierImports };
}

/** Turns a file into tasks that satisfy all rules. Values that do not fit are adapted or left out, and reported as losses. For a task
 *  that was imported before, only the fields that changed in the source are taken, so that local changes remain. */
export function planImport(draft: ImportDraft, snapshot: StoreSnapshot, reservedIds: TaskId[], now: string, agent: string): ImportPlan {
  const state = createImportState(draft, snapshot, reservedIds);
  const hierarchy = resolveHierarchy(state);
  const plan: ImportPlan = {
    created: [],
    updated: [],
    moved: [],
    relations: collectRelations(state, hierarchy),
    mappings: [],
    ids: [],
    losses: [],
    crowdedParents: listCrowdedParents(state, hierarchy),
  };
  for (const node of state.nodes) {
    const { id, task, digest, changed, earlier } = node;
    const placement = hierarchy.placements.get(id)!;
    const before = snapshot.records.get(id);
    plan.ids.push({ id: task.id, taskId: id });
    if (earlier?.digest !== digest) plan.mappings.push({ foreignId: task.id, taskId: id, digest });
    if (!earlier)
      plan.created.push({ task: createRecord(id, draft.origin, task, placement, now, agent), notes: listNewNotes(task, [], now, agent) });
    else if (before && changed.size > 0) {
      const after = mergeRecord(before, task, changed, placement, canTakeStatus(node, snapshot), { now, agent });
      plan.updated.push({ before, after, notes: changed.has('notes') ? listNewNotes(task, snapshot.notes.get(id) ?? [], now, agent) : [] });
    }
  }
  for (const [id, placement] of hierarchy.placements) {
    const node = state.byId.get(id);
    if (snapshot.tasks.has(id) && !(node && node.changed.size > 0) && hierarchy.isChanged(id)) plan.moved.push({ id, placement });
  }
  const unchangedIds = new Set(state.nodes.filter(({ earlier, changed }) => earlier && changed.size === 0).map(({ task }) => task.id));
  plan.losses = [...draft.losses.filter(({ id }) => !unchangedIds.has(id)), ...state.losses];
  return plan;
}

function collectRelations(
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
function listCrowdedParents({ snapshot, nodes, byId }: ImportState, { placements }: ResolvedHierarchy): TaskId[] {
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
