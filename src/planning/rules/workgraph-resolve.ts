import { CleoError } from '#core/errors/error.ts';
import { parseTaskId, type RelationType, type Status, type TaskId, type TaskType } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { NewEntry } from '#tasks/model/new-entry.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { getChildTier, isDefaultParent } from '#tasks/rules/hierarchy.ts';
import type { ChangedEntry } from '../model/workgraph.ts';
import { appendPointer, type GraphFinding, type ParsedGraph, toFinding } from './workgraph-parse.ts';

/** Identifies a task by its id, or a new one by `+` and its ref, so that refs and ids never clash. */
export type GraphKey = string;

/** A created or updated task in its final state; `pointers` lead to the fields that change it. */
export interface GraphTask {
  key: GraphKey;
  pointer: string;
  type: TaskType;
  status: Status;
  parentId: GraphKey | undefined;
  depends: GraphKey[];
  /** JSON pointers to the new parent, type and dependencies, where the payload sets them. */
  pointers: { parent?: string; type?: string; depends: Map<GraphKey, string> };
  /** The stored task; missing for a new one. */
  before?: TaskRecord;
  entry: Partial<Omit<NewEntry, 'title'> & ChangedEntry>;
}

export interface GraphRelation {
  from: GraphKey;
  to: GraphKey;
  type: RelationType | undefined;
  reason: string;
  isRemoved: boolean;
  pointer: string;
}

/** A payload whose refs and ids have been resolved. */
export interface ResolvedGraph {
  created: GraphTask[];
  updated: GraphTask[];
  deleted: Map<TaskId, string>;
  relations: GraphRelation[];
  findings: GraphFinding[];
}

/** Lists the ids in a payload, without refs. */
export function listNamedIds({ create, update, delete: deleted, relations }: ParsedGraph): TaskId[] {
  const refs = new Set(create.map(({ ref }) => ref));
  const names = [
    ...[...create, ...update].flatMap((entry) => [entry.parent, ...(entry.depends ?? [])]),
    ...update.flatMap(({ addDepends = [], removeDepends = [] }) => [...addDepends, ...removeDepends]),
    ...relations.flatMap(({ from, to }) => [from, to]),
  ];
  const ids = names.flatMap((name) => (name === undefined || refs.has(name) ? [] : (parseTaskId(name) ?? [])));
  return [...new Set([...ids, ...update.flatMap(({ id }) => id ?? []), ...deleted.map(({ id }) => id)])];
}

/** Resolves every ref and id; an unknown one becomes a finding and is left out. `tasks` are the existing tasks of `listNamedIds`.
 *  A new task without a parent is placed below `root`, the root of the caller's scope, if that can contain it. */
export function resolveGraph(graph: ParsedGraph, tasks: Map<TaskId, TaskRecord>, root: TaskRecord | undefined): ResolvedGraph {
  const findings: GraphFinding[] = [];
  const refs = collectRefs(graph, findings);
  const deleted = collectDeleted(graph, tasks, findings);
  const lookUp = (name: string | undefined, pointer: string, asParent = false): GraphKey | undefined => {
    if (name === undefined) return undefined;
    const ref = refs.get(name);
    if (ref) return ref;
    const id = parseTaskId(name);
    const problem =
      id === undefined
        ? new CleoError('E_INVALID_INPUT', { problem: `${JSON.stringify(name)} is neither a ref of this payload nor an id`, fix: '' })
        : !tasks.has(id)
          ? asParent
            ? new CleoError('E_PARENT_NOT_FOUND', { parent: id, fix: '' })
            : new CleoError('E_NOT_FOUND', { id })
          : deleted.has(id)
            ? new CleoError('E_INVALID_INPUT', { problem: `${id} is deleted by ${deleted.get(id)}`, fix: '' })
            : undefined;
    if (problem) findings.push(toFinding(pointer, problem));
    return problem ? undefined : id;
  };
  const lookUpAll = (names: string[] = [], pointer: string): Map<GraphKey, string> =>
    new Map(
      names.flatMap((name, i) => {
        const at = appendPointer(pointer, i);
        const key = lookUp(name, at);
        return key ? [[key, at]] : [];
      }),
    );

  const created = graph.create.map((entry): GraphTask => {
    const { pointer, parent, type } = entry;
    const depends = lookUpAll(entry.depends, `${pointer}/depends`);
    const parentId = parent === undefined ? isDefaultParent(root, type) && root?.id : lookUp(parent, `${pointer}/parent`, true);
    const pointers = { parent: parent === undefined ? pointer : `${pointer}/parent`, type: `${pointer}/type`, depends };
    return {
      key: toKey(entry),
      pointer,
      type: type ?? 'task',
      status: 'pending',
      parentId: parentId || undefined,
      depends: [...depends.keys()],
      pointers,
      entry,
    };
  });
  const updated = graph.update.flatMap((entry): GraphTask[] => {
    const { pointer, id, parent } = entry;
    const before = id === undefined ? undefined : tasks.get(id);
    if (!before || deleted.has(before.id)) {
      // Reports an id that is unknown or deleted.
      lookUp(id, `${pointer}/id`);
      return [];
    }
    const replaced = entry.depends && lookUpAll(entry.depends, `${pointer}/depends`);
    const added = lookUpAll(entry.addDepends, `${pointer}/addDepends`);
    // A removed dependency need not exist: it may have been deleted, also by this payload.
    const removed = new Set((entry.removeDepends ?? []).map((name) => refs.get(name) ?? parseTaskId(name)));
    const kept = [...(replaced?.keys() ?? before.depends), ...added.keys()].filter((key) => !removed.has(key));
    const parentId = parent === undefined ? before.parentId : parent === 'none' ? undefined : lookUp(parent, `${pointer}/parent`, true);
    const pointers = {
      ...defined({
        parent: parent === undefined ? undefined : `${pointer}/parent`,
        type: entry.type === undefined ? undefined : `${pointer}/type`,
      }),
      depends: new Map([...(replaced ?? []), ...added]),
    };
    const { type = before.type } = entry;
    return [{ key: before.id, pointer, type, status: before.status, parentId, depends: [...new Set(kept)], pointers, before, entry }];
  });
  inferTypes(created, [...created, ...updated], tasks);
  const relations = graph.relations.flatMap((entry): GraphRelation[] => {
    const { pointer, type, reason = '', remove: isRemoved = false } = entry;
    const from = lookUp(entry.from, `${pointer}/from`);
    const to = lookUp(entry.to, `${pointer}/to`);
    return from && to ? [{ from, to, type, reason, isRemoved, pointer }] : [];
  });
  return { created, updated, deleted, relations, findings };
}

const toKey = ({ ref, pointer }: { ref?: string | undefined; pointer: string }): GraphKey => `+${ref ?? pointer}`;
/** Returns the ref or id as the payload writes it. */
export const toPayloadName = (key: GraphKey): string => (key.startsWith('+') ? key.slice(1) : key);

function collectRefs({ create, update, delete: deleted }: ParsedGraph, findings: GraphFinding[]): Map<string, GraphKey> {
  const refs = new Map<string, GraphKey>();
  for (const entry of create) {
    if (entry.ref === undefined) continue;
    if (refs.has(entry.ref)) findings.push(toFinding(`${entry.pointer}/ref`, new CleoError('E_ID_COLLISION', { id: entry.ref, fix: '' })));
    refs.set(entry.ref, toKey(entry));
  }
  const ids = new Map<TaskId, string>();
  for (const { id, pointer } of [...update, ...deleted]) {
    const other = id === undefined ? undefined : ids.get(id);
    if (other)
      findings.push(toFinding(pointer, new CleoError('E_INVALID_INPUT', { problem: `${id} is already named in ${other}`, fix: '' })));
    else if (id) ids.set(id, pointer);
  }
  return refs;
}

function collectDeleted(graph: ParsedGraph, tasks: Map<TaskId, TaskRecord>, findings: GraphFinding[]): Map<TaskId, string> {
  const deleted = new Map<TaskId, string>();
  for (const { id, pointer } of graph.delete) {
    if (tasks.has(id)) deleted.set(id, pointer);
    else findings.push(toFinding(pointer, new CleoError('E_NOT_FOUND', { id })));
  }
  return deleted;
}

/** Sets the missing type of new tasks to the one below their parent's type, parents first. New entries that contain each other are
 *  typed as if they had no parent. */
function inferTypes(created: GraphTask[], all: GraphTask[], tasks: Map<TaskId, TaskRecord>): void {
  const byKey = new Map(all.map((task) => [task.key, task]));
  const isTyped = new Set(all.filter(({ before, entry }) => before || entry.type).map(({ key }) => key));
  for (const start of created) {
    const chain: GraphTask[] = [];
    const visited = new Set<GraphKey>();
    let at: GraphTask | undefined = start;
    while (at && !isTyped.has(at.key) && !visited.has(at.key)) {
      chain.push(at);
      visited.add(at.key);
      at = at.parentId === undefined ? undefined : byKey.get(at.parentId);
    }
    for (const task of chain.reverse()) {
      const { parentId } = task;
      const isInCycle = parentId !== undefined && visited.has(parentId) && !isTyped.has(parentId);
      const parent = parentId === undefined || isInCycle ? undefined : (byKey.get(parentId) ?? tasks.get(parentId));
      task.type = getChildTier(parent?.type);
      isTyped.add(task.key);
    }
  }
}
