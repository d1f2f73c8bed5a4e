import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { ImportLoss } from '../model/foreign.ts';
import type { ComparedField, NormalizedTask } from './normalize-task.ts';

/** The task that an earlier import created for a source id, and the digest of its fields at that time. */
export interface EarlierImport {
  taskId: TaskId;
  digest: string;
}

/** Tasks of a file, each compared with its earlier import. */
export interface ImportDraft {
  source: string;
  /** The tool with the name of the source, such as `beads:api`. */
  origin: string;
  items: ImportItem[];
  losses: ImportLoss[];
  earlierImports: Map<string, EarlierImport>;
}

export interface ImportItem {
  task: NormalizedTask;
  digest: string;
  earlier?: EarlierImport;
  changed: Set<ComparedField>;
}

/** The stored tasks that the import can affect. */
export interface StoreSnapshot {
  tasks: Map<TaskId, { type: TaskType; status: Status; parentId?: TaskId; archivedAt?: string }>;
  depends: { from: TaskId; to: TaskId }[];
  /** Full records of the tasks that changed in the source. */
  records: Map<TaskId, TaskRecord>;
  notes: Map<TaskId, Note[]>;
  /** Tasks with a claim in force. */
  heldIds: Set<TaskId>;
  maxSiblings: number;
}

export interface ImportNode extends ImportItem {
  id: TaskId;
}

export interface ImportState {
  source: string;
  snapshot: StoreSnapshot;
  nodes: ImportNode[];
  byId: Map<TaskId, ImportNode>;
  /** Resolves a source id; undefined if it names no task of the file or the store. */
  findTaskId(sourceId: string): TaskId | undefined;
  /** All tasks ever imported from this source, in the file or not. */
  importedIds: Set<TaskId>;
  losses: ImportLoss[];
  reportLoss(node: ImportItem, field: string, why: string): void;
  /** The source id of a task of the file, or the task id. */
  getSourceId(id: TaskId): string;
}

export function createImportState(
  { source, items, earlierImports }: ImportDraft,
  snapshot: StoreSnapshot,
  reservedIds: TaskId[],
): ImportState {
  const losses: ImportLoss[] = [];
  const reportLoss: ImportState['reportLoss'] = ({ task }, field, why) => void losses.push({ id: task.id, field, why });
  const taskIds = new Map([...earlierImports].map(([sourceId, { taskId }]) => [sourceId, taskId]));
  let next = 0;
  for (const item of items) if (!item.earlier) taskIds.set(item.task.id, reservedIds[next++]!);
  const newIds = new Set(reservedIds);
  const findTaskId = (sourceId: string): TaskId | undefined => {
    const id = taskIds.get(sourceId);
    return id && (newIds.has(id) || snapshot.tasks.has(id)) ? id : undefined;
  };
  const nodes: ImportNode[] = [];
  for (const item of items) {
    const id = findTaskId(item.task.id);
    if (id) nodes.push({ ...item, id });
    else if (item.changed.size > 0) {
      const deletedId = taskIds.get(item.task.id);
      reportLoss(item, 'task', `${deletedId} was deleted here; cleo restore ${deletedId} brings it back`);
    }
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return {
    source,
    snapshot,
    nodes,
    byId,
    findTaskId,
    importedIds: new Set(taskIds.values()),
    losses,
    reportLoss,
    getSourceId: (id) => byId.get(id)?.task.id ?? id,
  };
}

/** Decides whether a task takes its status from the source. A task that an agent holds or that lacks evidence keeps its own. */
export function canTakeStatus(node: ImportNode, snapshot: StoreSnapshot, reportLoss?: ImportState['reportLoss']): boolean {
  if (!node.earlier) return true;
  if (!node.changed.has('status') && !node.changed.has('isArchived')) return false;
  const before = snapshot.records.get(node.id);
  if (!before) return false;
  const isHeld = snapshot.heldIds.has(node.id) && before.status !== node.task.status;
  const lacksEvidence =
    node.task.status === 'done' && before.status !== 'done' && before.acceptance.some(({ kind }) => kind === 'evidence_bound');
  if (isHeld) reportLoss?.(node, 'status', `an agent holds ${node.id}; it stays ${before.status}`);
  else if (lacksEvidence) reportLoss?.(node, 'status', `${node.id} lacks evidence; it stays ${before.status}`);
  return !isHeld && !lacksEvidence;
}

export const shortenName = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
