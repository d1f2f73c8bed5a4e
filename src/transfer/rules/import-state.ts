import type { TaskId } from '#core/model/scalars.ts';
import type { ImportLoss } from '../model/foreign.ts';
import type { ComparedField } from './import-base.ts';
import type { ImportDraft, ImportItem, StoredPosition } from './import-draft.ts';
import { type ConflictPolicy, choosePreferred, chooseSide, type MergeSide } from './three-way.ts';

/** The stored tasks that the import can affect. */
export interface StoreSnapshot {
  tasks: Map<TaskId, StoredPosition>;
  depends: { from: TaskId; to: TaskId }[];
  /** Tasks with a claim in force. */
  heldIds: Set<TaskId>;
  maxSiblings: number;
  /** `verification.required`: every task needs evidence to be done. */
  requiresEvidence: boolean;
}

/** A record with its task here. */
export interface ImportNode extends ImportItem {
  taskId: TaskId;
}

export interface ImportConflict {
  id: string;
  taskId: TaskId;
  field: string;
  kept: MergeSide;
}

export interface ImportState {
  source: string;
  policy: ConflictPolicy;
  snapshot: StoreSnapshot;
  nodes: ImportNode[];
  byId: Map<TaskId, ImportNode>;
  /** Resolves a source id; undefined if it names no task of the file or the store. */
  findTaskId(sourceId: string): TaskId | undefined;
  /** All tasks ever imported from this source, in the file or not. */
  importedIds: Set<TaskId>;
  losses: ImportLoss[];
  conflicts: ImportConflict[];
  reportLoss(node: ImportItem, field: string, why: string): void;
  /** The source id of a task of the file, or the task id. */
  getSourceId(id: TaskId): string;
}

export function createImportState(
  { source, items, earlierImports }: ImportDraft,
  snapshot: StoreSnapshot,
  reservedIds: TaskId[],
  policy: ConflictPolicy,
): ImportState {
  const losses: ImportLoss[] = [];
  const reportLoss: ImportState['reportLoss'] = ({ id }, field, why) => void losses.push({ id, field, why });
  const taskIds = new Map<string, TaskId>();
  for (const [sourceId, { taskId }] of earlierImports) taskIds.set(sourceId, taskId);
  let next = 0;
  for (const item of items) if (!item.earlier) taskIds.set(item.id, reservedIds[next++]!);
  const newIds = new Set(reservedIds);
  const findTaskId = (sourceId: string): TaskId | undefined => {
    const id = taskIds.get(sourceId);
    return id && (newIds.has(id) || snapshot.tasks.has(id)) ? id : undefined;
  };
  const nodes: ImportNode[] = [];
  for (const item of items) {
    const taskId = findTaskId(item.id);
    if (taskId) {
      item.taskId = taskId;
      nodes.push(item as ImportNode);
    } else if (item.changed.size > 0) {
      const deletedId = taskIds.get(item.id);
      reportLoss(item, 'task', `${deletedId} was deleted here; cleo restore ${deletedId} brings it back`);
    }
  }
  const byId = new Map<TaskId, ImportNode>();
  for (const node of nodes) byId.set(node.taskId, node);
  return {
    source,
    policy,
    snapshot,
    nodes,
    byId,
    findTaskId,
    importedIds: new Set(taskIds.values()),
    losses,
    conflicts: [],
    reportLoss,
    getSourceId: (id) => byId.get(id)?.id ?? id,
  };
}

/** Decides whether a link or the status of a task is taken from the source. `fields` are taken together or not at all. A new task takes everything, one that was not changed here
 *  too: its value can differ from the source only because the rules required it at the last import. */
export function takesTheirs(state: ImportState, node: ImportNode, fields: readonly ComparedField[], isEqual: boolean): boolean {
  const { earlier, isOlder, local, changed } = node;
  if (!earlier) return true;
  if (isOlder) return false;
  if (!local || !fields.some((field) => local.changed.has(field))) return true;
  const { side, isConflict } = chooseSide(
    { isChangedHere: true, isChangedThere: fields.some((field) => changed.has(field)), isEqual },
    choosePreferred(state.policy, local.updatedAt, node.updatedAt),
  );
  if (isConflict) {
    const field = fields.find((one) => local.changed.has(one) && changed.has(one)) ?? fields[0]!;
    state.conflicts.push({ id: node.id, taskId: node.taskId, field, kept: side });
  }
  return side === 'theirs';
}

export const shortenName = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
