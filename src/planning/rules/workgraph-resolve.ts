import { CleoError } from '#core/errors/error.ts';
import { canonicalId, type RelationType, type Status, type TaskId, type TaskType } from '#core/model/scalars.ts';
import type { NewEntry } from '#tasks/model/new-entry.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { isDefaultParent, tierBelow } from '#tasks/rules/hierarchy.ts';
import type { ChangedEntry } from '../model/workgraph.ts';
import { type Finding, finding, type Graph, pointerTo } from './workgraph-read.ts';

/** A task by its id, or by the name under which it will be made: refs and ids never meet. */
export type Key = string;

/** A task that is made or changed, as it will stand; `edges` are the places that say so. */
export interface Planned {
  key: Key;
  pointer: string;
  type: TaskType;
  status: Status;
  parentId: Key | undefined;
  depends: Key[];
  /** Where the payload says its parent, where it does, and each of its new depends. */
  edges: { parent?: string; type?: string; depends: Map<Key, string> };
  /** What it is now; a task that is made is nothing yet. */
  before?: TaskRecord;
  entry: Partial<Omit<NewEntry, 'title'> & ChangedEntry>;
}

export interface PlannedRelation {
  from: Key;
  to: Key;
  type: RelationType | undefined;
  reason: string;
  isRemoved: boolean;
  pointer: string;
}

/** The payload with every name looked up. */
export interface Resolved {
  created: Planned[];
  updated: Planned[];
  deleted: Map<TaskId, string>;
  relations: PlannedRelation[];
  findings: Finding[];
}

/** Ids that the payload names; refs are not among them. */
export function idsNamed({ create, update, delete: deleted, relations }: Graph): TaskId[] {
  const refs = new Set(create.map(({ ref }) => ref));
  const names = [
    ...[...create, ...update].flatMap((entry) => [entry.parent, ...(entry.depends ?? [])]),
    ...update.flatMap(({ addDepends = [], removeDepends = [] }) => [...addDepends, ...removeDepends]),
    ...relations.flatMap(({ from, to }) => [from, to]),
  ];
  const ids = names.flatMap((name) => (name === undefined || refs.has(name) ? [] : (canonicalId(name) ?? [])));
  return [...new Set([...ids, ...update.flatMap(({ id }) => id ?? []), ...deleted.map(({ id }) => id)])];
}

/** Looks up every name; `tasks` are those of `idsNamed` that exist. What names nothing is a finding, and left out.
 *  A new task without a parent stands below `root`, the root of the caller's scope, where that may hold it. */
export function resolveGraph(graph: Graph, tasks: Map<TaskId, TaskRecord>, root: TaskRecord | undefined): Resolved {
  const findings: Finding[] = [];
  const refs = refsOf(graph, findings);
  const deleted = deletedIn(graph, tasks, findings);
  const look = (name: string, pointer: string, asParent = false): Key | undefined => {
    const ref = refs.get(name);
    if (ref) return ref;
    const id = canonicalId(name);
    const problem =
      id === undefined
        ? new CleoError('E_INVALID_INPUT', { problem: `${JSON.stringify(name)} is neither a ref of this payload nor an id`, fix: '' })
        : !tasks.has(id)
          ? asParent
            ? new CleoError('E_PARENT_NOT_FOUND', { parent: id })
            : new CleoError('E_NOT_FOUND', { id })
          : deleted.has(id)
            ? new CleoError('E_INVALID_INPUT', { problem: `${id} is deleted by ${deleted.get(id)}`, fix: '' })
            : undefined;
    if (problem) findings.push(finding(pointer, problem));
    return problem ? undefined : id;
  };
  const lookAll = (names: string[] = [], pointer: string): Map<Key, string> => {
    const found = names.map((name, i): [Key | undefined, string] => [look(name, pointerTo(pointer, i)), pointerTo(pointer, i)]);
    return new Map(found.filter((pair): pair is [Key, string] => pair[0] !== undefined));
  };

  const created = graph.create.map((entry): Planned => {
    const { pointer, parent, type } = entry;
    const depends = lookAll(entry.depends, `${pointer}/depends`);
    const parentId = parent === undefined ? isDefaultParent(root, type) && root?.id : look(parent, `${pointer}/parent`, true);
    const edges = { parent: parent === undefined ? pointer : `${pointer}/parent`, type: `${pointer}/type`, depends };
    return {
      key: keyOf(entry),
      pointer,
      type: type ?? 'task',
      status: 'pending',
      parentId: parentId || undefined,
      depends: [...depends.keys()],
      edges,
      entry,
    };
  });
  const updated = graph.update.flatMap((entry): Planned[] => {
    const { pointer, id, parent } = entry;
    const before = id === undefined ? undefined : tasks.get(id);
    if (id !== undefined && (!before || deleted.has(id))) look(id, `${pointer}/id`);
    if (!before || deleted.has(before.id)) return [];
    const replaced = entry.depends && lookAll(entry.depends, `${pointer}/depends`);
    const added = lookAll(entry.addDepends, `${pointer}/addDepends`);
    // What it no longer waits for may be gone, or go with this payload.
    const removed = new Set((entry.removeDepends ?? []).map((name) => refs.get(name) ?? canonicalId(name)));
    const kept = [...(replaced?.keys() ?? before.depends), ...added.keys()].filter((key) => !removed.has(key));
    const parentId = parent === undefined ? before.parentId : parent === 'none' ? undefined : look(parent, `${pointer}/parent`, true);
    const edges = {
      ...(parent === undefined ? {} : { parent: `${pointer}/parent` }),
      ...(entry.type === undefined ? {} : { type: `${pointer}/type` }),
      depends: new Map([...(replaced ?? []), ...added]),
    };
    const { type = before.type } = entry;
    return [{ key: before.id, pointer, type, status: before.status, parentId, depends: [...new Set(kept)], edges, before, entry }];
  });
  typeAll(created, [...created, ...updated], tasks);
  const relations = graph.relations.flatMap((entry): PlannedRelation[] => {
    const { pointer, type, reason = '', remove: isRemoved = false } = entry;
    const from = entry.from === undefined ? undefined : look(entry.from, `${pointer}/from`);
    const to = entry.to === undefined ? undefined : look(entry.to, `${pointer}/to`);
    return from && to ? [{ from, to, type, reason, isRemoved, pointer }] : [];
  });
  return { created, updated, deleted, relations, findings };
}

const keyOf = ({ ref, pointer }: { ref?: string | undefined; pointer: string }): Key => `+${ref ?? pointer}`;
/** As the payload calls it. */
export const nameOf = (key: Key): string => (key.startsWith('+') ? key.slice(1) : key);

function refsOf({ create, update, delete: deleted }: Graph, findings: Finding[]): Map<string, Key> {
  const refs = new Map<string, Key>();
  for (const entry of create) {
    if (entry.ref === undefined) continue;
    if (refs.has(entry.ref)) findings.push(finding(`${entry.pointer}/ref`, new CleoError('E_ID_COLLISION', { id: entry.ref, fix: '' })));
    refs.set(entry.ref, keyOf(entry));
  }
  const ids = new Map<TaskId, string>();
  for (const { id, pointer } of [...update, ...deleted]) {
    const other = id === undefined ? undefined : ids.get(id);
    if (other)
      findings.push(finding(pointer, new CleoError('E_INVALID_INPUT', { problem: `${id} has a place in ${other} already`, fix: '' })));
    else if (id) ids.set(id, pointer);
  }
  return refs;
}

function deletedIn(graph: Graph, tasks: Map<TaskId, TaskRecord>, findings: Finding[]): Map<TaskId, string> {
  const deleted = new Map<TaskId, string>();
  for (const { id, pointer } of graph.delete) {
    if (tasks.has(id)) deleted.set(id, pointer);
    else findings.push(finding(pointer, new CleoError('E_NOT_FOUND', { id })));
  }
  return deleted;
}

/** Gives each new task without a tier the one below its parent's, parents first; entries that contain each other stay tasks. */
function typeAll(created: Planned[], all: Planned[], tasks: Map<TaskId, TaskRecord>): void {
  const byKey = new Map(all.map((one) => [one.key, one]));
  const isTyped = new Set(all.filter(({ before, entry }) => before || entry.type).map(({ key }) => key));
  for (const start of created) {
    const chain: Planned[] = [];
    const onTheWay = new Set<Key>();
    let at: Planned | undefined = start;
    while (at && !isTyped.has(at.key) && !onTheWay.has(at.key)) {
      chain.push(at);
      onTheWay.add(at.key);
      at = at.parentId === undefined ? undefined : byKey.get(at.parentId);
    }
    for (const one of chain.reverse()) {
      const { parentId } = one;
      const isInCircle = parentId !== undefined && onTheWay.has(parentId) && !isTyped.has(parentId);
      const parent = parentId === undefined || isInCircle ? undefined : (byKey.get(parentId) ?? tasks.get(parentId));
      one.type = tierBelow(parent?.type);
      isTyped.add(one.key);
    }
  }
}
