import { CleoError } from '../../errors/error.ts';
import type { ForeignFile, Loss } from '../../model/foreign.ts';
import type { RelationType, Status, TaskId, TaskType } from '../../model/scalars.ts';
import type { Note, TaskRecord } from '../../model/task.ts';
import { changedFields, digestOf, type Field } from './changes.ts';
import { cutCircles } from './cut.ts';
import { type Fitted, fitted } from './fit.ts';
import { type Coming, type Places, places } from './places.ts';
import { bornAs, notesOf, type Standing, updatedTo } from './records.ts';

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

export interface Plan {
  created: { task: TaskRecord; notes: Note[] }[];
  updated: { before: TaskRecord; after: TaskRecord; notes: Note[] }[];
  /** Not changed over there, but standing otherwise because of what comes in. */
  shifted: { id: TaskId; standing: Standing }[];
  relations: { from: TaskId; to: TaskId; type: RelationType; reason: string }[];
  remembered: { foreignId: string; taskId: TaskId; digest: string }[];
  /** Every task of the file that is here afterwards. */
  ids: { id: string; taskId: TaskId }[];
  losses: Loss[];
  /** Holders of more open children than may be added by hand. */
  crowded: TaskId[];
}

export function draftOf(file: ForeignFile, known: Map<string, Known>, hash: (text: string) => string): Draft {
  const seen = new Set<string>();
  for (const { id } of file.tasks) {
    if (seen.has(id)) throw new CleoError('E_ID_COLLISION', { id, fix: 'cleo help import' });
    seen.add(id);
  }
  const losses: Loss[] = [];
  const items = file.tasks.map((foreign): Item => {
    const task = fitted(file.source, foreign, losses);
    const digest = digestOf(task, (id) => seen.has(id) || known.has(id), hash);
    const before = known.get(task.id);
    return { task, digest, ...(before ? { known: before } : {}), changed: changedFields(before?.digest, digest) };
  });
  return { source: file.source, items, losses: [...file.losses, ...losses], known };
}

/** How a file becomes tasks that keep every rule of ours. What has no place is put where it has one, or left out, and reported.
 *  Of a task that was imported before, the fields that changed over there are taken; what changed only here stays. */
export function planImport(draft: Draft, here: Here, freshIds: TaskId[], now: string, agent: string): Plan {
  const scene = sceneOf(draft, here, freshIds);
  const standing = standings(scene);
  const plan: Plan = {
    created: [],
    updated: [],
    shifted: [],
    relations: relationsOf(scene, standing),
    remembered: [],
    ids: [],
    losses: [],
    crowded: crowded(scene, standing),
  };
  for (const node of scene.nodes) {
    const { id, task, digest, changed, known } = node;
    const stands = standing.of.get(id)!;
    const before = here.records.get(id);
    plan.ids.push({ id: task.id, taskId: id });
    if (known?.digest !== digest) plan.remembered.push({ foreignId: task.id, taskId: id, digest });
    if (!known) plan.created.push({ task: bornAs(id, task, stands, now, agent), notes: notesOf(task, [], now, agent) });
    else if (before && changed.size > 0) {
      const after = updatedTo(before, task, changed, stands, takesState(node, here), { now, agent });
      plan.updated.push({ before, after, notes: changed.has('notes') ? notesOf(task, here.notes.get(id) ?? [], now, agent) : [] });
    }
  }
  for (const [id, stands] of standing.of) {
    const node = scene.byId.get(id);
    if (here.tasks.has(id) && !(node && node.changed.size > 0) && standing.isShifted(id)) plan.shifted.push({ id, standing: stands });
  }
  const quiet = new Set(scene.nodes.filter(({ known, changed }) => known && changed.size === 0).map(({ task }) => task.id));
  plan.losses = [...draft.losses.filter(({ id }) => !quiet.has(id)), ...scene.losses];
  return plan;
}

interface Node extends Item {
  id: TaskId;
}

interface Scene {
  source: string;
  here: Here;
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

function sceneOf({ source, items, known }: Draft, here: Here, freshIds: TaskId[]): Scene {
  const losses: Loss[] = [];
  const lose: Scene['lose'] = ({ task }, field, why) => void losses.push({ id: task.id, field, why });
  const idOf = new Map([...known].map(([name, { taskId }]) => [name, taskId]));
  let next = 0;
  for (const item of items) if (!item.known) idOf.set(item.task.id, freshIds[next++]!);
  const fresh = new Set(freshIds);
  const find = (name: string): TaskId | undefined => {
    const id = idOf.get(name);
    return id && (fresh.has(id) || here.tasks.has(id)) ? id : undefined;
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
    here,
    nodes,
    byId,
    find,
    imported: new Set(idOf.values()),
    losses,
    lose,
    nameOf: (id) => byId.get(id)?.task.id ?? id,
  };
}

interface Standings {
  of: Map<TaskId, Standing>;
  /** Whether a task that is here already stands otherwise than before. */
  isShifted(id: TaskId): boolean;
  flattened: Places['flattened'];
}

function standings(scene: Scene): Standings {
  const { here, nodes, byId } = scene;
  const placed = placesOf(scene);
  const dependsHere = grouped(here.depends);
  const dependsOf = new Map(dependsHere);
  for (const node of nodes)
    if (node.changed.has('depends')) dependsOf.set(node.id, dependsFor(scene, node, dependsHere.get(node.id) ?? []));
  const parentOf = (id: TaskId): TaskId | undefined => (placed.of.get(id) ?? here.tasks.get(id))?.parentId;
  const everyId = [...new Set([...here.tasks.keys(), ...byId.keys()])];
  const inside = everyId
    .flatMap((id) => ({ from: parentOf(id), to: id }))
    .filter((edge): edge is { from: TaskId; to: TaskId } => edge.from !== undefined);
  const links = { parentOf: new Map(inside.map(({ from, to }) => [to, from])), childrenOf: grouped(inside), dependsOf };
  for (const { from, to } of cutCircles([...byId.keys()], links, (id) => scene.imported.has(id)))
    scene.losses.push({
      id: scene.nameOf(from),
      field: 'depends',
      why: `${scene.nameOf(to)} waits for it in turn, or is around it: such a circle could never be worked off`,
    });
  const reopened = reopen(scene, everyId, parentOf);
  const of = new Map<TaskId, Standing>();
  const shifts = new Set<TaskId>();
  for (const id of everyId) {
    const before = here.tasks.get(id);
    const { type, parentId } = placed.of.get(id) ?? before!;
    const depends = links.dependsOf.get(id) ?? [];
    const isShifted =
      before && (before.type !== type || before.parentId !== parentId || reopened.has(id) || depends !== (dependsHere.get(id) ?? depends));
    if (isShifted) shifts.add(id);
    if (isShifted || byId.has(id)) of.set(id, { type, ...(parentId ? { parentId } : {}), depends, isReopened: reopened.has(id) });
  }
  return { of, isShifted: (id) => shifts.has(id), flattened: placed.flattened };
}

function placesOf(scene: Scene): Places {
  const { here, nodes, byId, find, lose, nameOf } = scene;
  const coming = nodes.map((node): Coming => {
    const { id, task, changed, known } = node;
    const isFree = !known || changed.has('parent') || changed.has('hint');
    const told = task.parent === undefined ? undefined : find(task.parent);
    const parentId = !known || changed.has('parent') ? told : here.tasks.get(id)?.parentId;
    if (task.parent !== undefined && told === undefined && (!known || changed.size > 0))
      lose(node, 'parent', `${shown(task.parent)} is not in the file`);
    return { id, ...(parentId ? { parentId } : {}), ...(task.hint ? { hint: task.hint } : {}), isFree };
  });
  const placed = places(coming, here.tasks);
  const inside = (id: TaskId): string => shown(nameOf(id));
  for (const id of placed.circled) lose(byId.get(id)!, 'parent', 'it is inside itself: it stands at the top');
  for (const { id, inside: was } of placed.flattened)
    lose(byId.get(id)!, 'parent', `${inside(was)} is a subtask, which holds nothing: it stands beside it, as related`);
  for (const id of placed.stayed) lose(byId.get(id)!, 'parent', `what was put inside ${id} here would not fit: it stays where it is`);
  for (const node of nodes) {
    const { type } = placed.of.get(node.id)!;
    if (node.task.hint === 'epic' && (type === 'task' || type === 'subtask') && (!node.known || node.changed.has('hint')))
      lose(node, 'type', `an epic there is a ${type} here, because of where it stands`);
  }
  return placed;
}

/** What the file says, and what was added here on tasks that are not of the file. */
function dependsFor({ find, lose, imported }: Scene, node: Node, had: TaskId[]): TaskId[] {
  const depends = new Set<TaskId>();
  for (const name of node.task.depends) {
    const id = find(name);
    if (id === node.id) lose(node, 'depends', 'it depends on itself');
    else if (id) depends.add(id);
    else lose(node, 'depends', `${shown(name)} is not in the file`);
  }
  for (const id of node.known ? had : []) if (!imported.has(id)) depends.add(id);
  return [...depends];
}

/** Everything done around something open is not done. */
function reopen(scene: Scene, everyId: TaskId[], parentOf: (id: TaskId) => TaskId | undefined): Set<TaskId> {
  const { here, byId } = scene;
  const status = (id: TaskId): Status => {
    const node = byId.get(id);
    return node && takesState(node, here, scene.lose) ? node.task.status : here.tasks.get(id)!.status;
  };
  const statuses = new Map(everyId.map((id) => [id, status(id)]));
  const reopened = new Set<TaskId>();
  for (const id of everyId) {
    if (statuses.get(id) === 'done') continue;
    for (let up = parentOf(id); up !== undefined && statuses.get(up) === 'done'; up = parentOf(up)) {
      statuses.set(up, 'pending');
      reopened.add(up);
      const node = byId.get(up);
      const why = `done, but ${scene.nameOf(id)} inside it is not: it is kept as pending`;
      if (node) scene.lose(node, 'status', why);
      else scene.losses.push({ id: up, field: 'status', why });
    }
  }
  for (const node of scene.nodes)
    if (node.task.isArchived && statuses.get(node.id) !== 'done' && (!node.known || node.changed.size > 0))
      scene.lose(node, 'isArchived', 'only what is done can be archived');
  return reopened;
}

/** Whether the state is the one over there. What someone works on here, and what lacks evidence here, keeps its own. */
function takesState(node: Node, here: Here, lose?: Scene['lose']): boolean {
  if (!node.known) return true;
  if (!node.changed.has('status') && !node.changed.has('isArchived')) return false;
  const before = here.records.get(node.id);
  if (!before) return false;
  const isHeld = here.held.has(node.id) && before.status !== node.task.status;
  const lacks = node.task.status === 'done' && before.status !== 'done' && before.acceptance.some(({ kind }) => kind === 'evidence_bound');
  if (isHeld) lose?.(node, 'status', `someone works on ${node.id} here: it stays ${before.status}`);
  else if (lacks) lose?.(node, 'status', `${node.id} needs evidence here: it stays ${before.status}`);
  return !isHeld && !lacks;
}

function relationsOf({ source, nodes, find, lose }: Scene, { of, flattened }: Standings): Plan['relations'] {
  const all = new Map<string, Plan['relations'][number]>();
  const relate = (from: TaskId, to: TaskId, reason: string): void => {
    const areKin = of.get(from)?.parentId === to || of.get(to)?.parentId === from;
    if (from !== to && !areKin && !all.has(`${to} ${from}`)) all.set(`${from} ${to}`, { from, to, type: 'related', reason });
  };
  for (const { id, inside } of flattened) relate(id, inside, `inside it in ${source}`);
  for (const node of nodes)
    for (const name of node.changed.has('related') ? node.task.related : []) {
      const to = find(name);
      if (to) relate(node.id, to, `related in ${source}`);
      else lose(node, 'related', `${shown(name)} is not in the file`);
    }
  return [...all.values()];
}

/** Those around something new that hold more open tasks than can be added by hand. */
function crowded({ here, nodes, byId }: Scene, { of }: Standings): TaskId[] {
  if (here.maxSiblings === 0) return [];
  const open = new Map<TaskId, number>();
  const count = (status: Status, parentId: TaskId | undefined): unknown =>
    parentId && status !== 'done' ? open.set(parentId, (open.get(parentId) ?? 0) + 1) : undefined;
  for (const [id, { status, parentId }] of here.tasks) if (!of.has(id)) count(status, parentId);
  for (const [id, { parentId, isReopened }] of of) {
    const node = byId.get(id);
    const status = node && takesState(node, here) ? node.task.status : (here.tasks.get(id)?.status ?? 'pending');
    count(isReopened ? 'pending' : status, parentId);
  }
  const isLimited = (id: TaskId): boolean => ['epic', 'task'].includes((of.get(id) ?? here.tasks.get(id))?.type ?? '');
  const touched = new Set(nodes.filter(({ known }) => !known).flatMap(({ id }) => of.get(id)?.parentId ?? []));
  return [...touched].filter((id) => isLimited(id) && (open.get(id) ?? 0) > here.maxSiblings);
}

function grouped(edges: { from: TaskId; to: TaskId }[]): Map<TaskId, TaskId[]> {
  const found = new Map<TaskId, TaskId[]>();
  for (const { from, to } of edges) {
    const list = found.get(from);
    if (list) list.push(to);
    else found.set(from, [to]);
  }
  return found;
}

const shown = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
