import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { Loss } from '../model/foreign.ts';
import type { Field } from './changes.ts';
import type { Fitted } from './fit.ts';

/** What is remembered of an earlier import. */
export interface Known {
  taskId: TaskId;
  digest: string;
}

/** A file on its way in, each of its tasks with what is known of it. */
export interface Draft {
  source: string;
  items: Item[];
  losses: Loss[];
  known: Map<string, Known>;
}

export interface Item {
  task: Fitted;
  digest: string;
  known?: Known;
  changed: Set<Field>;
}

/** What is here, as far as the file can touch it. */
export interface Here {
  tasks: Map<TaskId, { type: TaskType; status: Status; parentId?: TaskId; archivedAt?: string }>;
  depends: { from: TaskId; to: TaskId }[];
  /** Those that changed over there, whole. */
  records: Map<TaskId, TaskRecord>;
  notes: Map<TaskId, Note[]>;
  /** Someone works on them. */
  held: Set<TaskId>;
  maxSiblings: number;
}

export interface Node extends Item {
  id: TaskId;
}

export interface Scene {
  source: string;
  ctx: Here;
  nodes: Node[];
  byId: Map<TaskId, Node>;
  /** The task that a name of the file means, where there is one. */
  find(name: string): TaskId | undefined;
  /** Imported tasks of this source, whether the file still has them or not. */
  imported: Set<TaskId>;
  losses: Loss[];
  lose(node: Item, field: string, why: string): void;
  nameOf(id: TaskId): string;
}

export function sceneOf({ source, items, known }: Draft, ctx: Here, freshIds: TaskId[]): Scene {
  const losses: Loss[] = [];
  const lose: Scene['lose'] = ({ task }, field, why) => void losses.push({ id: task.id, field, why });
  const idOf = new Map([...known].map(([name, { taskId }]) => [name, taskId]));
  let next = 0;
  for (const item of items) if (!item.known) idOf.set(item.task.id, freshIds[next++]!);
  const fresh = new Set(freshIds);
  const find = (name: string): TaskId | undefined => {
    const id = idOf.get(name);
    return id && (fresh.has(id) || ctx.tasks.has(id)) ? id : undefined;
  };
  const nodes: Node[] = [];
  for (const item of items) {
    const id = find(item.task.id);
    if (id) nodes.push({ ...item, id });
    else if (item.changed.size > 0) {
      const was = idOf.get(item.task.id);
      lose(item, 'task', `${was} was deleted here; cleo restore ${was} brings it back`);
    }
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return {
    source,
    ctx,
    nodes,
    byId,
    find,
    imported: new Set(idOf.values()),
    losses,
    lose,
    nameOf: (id) => byId.get(id)?.task.id ?? id,
  };
}

/** Whether the state is the one over there. What someone works on here, and what lacks evidence here, keeps its own. */
export function takesState(node: Node, ctx: Here, lose?: Scene['lose']): boolean {
  if (!node.known) return true;
  if (!node.changed.has('status') && !node.changed.has('isArchived')) return false;
  const before = ctx.records.get(node.id);
  if (!before) return false;
  const isHeld = ctx.held.has(node.id) && before.status !== node.task.status;
  const lacks = node.task.status === 'done' && before.status !== 'done' && before.acceptance.some(({ kind }) => kind === 'evidence_bound');
  if (isHeld) lose?.(node, 'status', `someone works on ${node.id} here: it stays ${before.status}`);
  else if (lacks) lose?.(node, 'status', `${node.id} needs evidence here: it stays ${before.status}`);
  return !isHeld && !lacks;
}

export const shown = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
