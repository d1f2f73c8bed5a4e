import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import type { RelationEdge } from '#tasks/model/relation.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { ForeignData, ImportLoss } from '../model/foreign.ts';
import { diffDigests, digestTask } from './changes.ts';
import {
  canTakeStatus,
  createImportState,
  type EarlierImport,
  type ImportDraft,
  type ImportItem,
  type StoreSnapshot,
} from './import-state.ts';
import { normalizeTask } from './normalize-task.ts';
import { createRecord, type ImportPlacement, listNewNotes, mergeRecord } from './records.ts';
import { collectRelations, listCrowdedParents } from './relations.ts';
import { resolveHierarchy } from './resolve-hierarchy.ts';

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

export function createImportDraft(file: ForeignData, earlierImports: Map<string, EarlierImport>): ImportDraft {
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
  return { source: file.source, items, losses: [...file.losses, ...losses], earlierImports };
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
    if (!earlier) plan.created.push({ task: createRecord(id, task, placement, now, agent), notes: listNewNotes(task, [], now, agent) });
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
