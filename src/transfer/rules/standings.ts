import type { Status, TaskId } from '#core/model/scalars.ts';
import { cutCircles } from './cut.ts';
import { type Coming, type Places, places } from './places.ts';
import type { Standing } from './records.ts';
import { type Node, type Scene, shown, takesState } from './scene.ts';

export interface Standings {
  of: Map<TaskId, Standing>;
  /** Whether a task that is here already stands otherwise than before. */
  isShifted(id: TaskId): boolean;
  flattened: Places['flattened'];
}

/** Where everything stands once the file is in: parents, tiers, depends, and what is done. */
export function standings(scene: Scene): Standings {
  const { ctx, nodes, byId } = scene;
  const placed = placesOf(scene);
  const dependsHere = grouped(ctx.depends);
  const dependsOf = new Map(dependsHere);
  for (const node of nodes)
    if (node.changed.has('depends')) dependsOf.set(node.id, dependsFor(scene, node, dependsHere.get(node.id) ?? []));
  const parentOf = (id: TaskId): TaskId | undefined => (placed.of.get(id) ?? ctx.tasks.get(id))?.parentId;
  const everyId = [...new Set([...ctx.tasks.keys(), ...byId.keys()])];
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
    const before = ctx.tasks.get(id);
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
  const { ctx, nodes, byId, find, lose, nameOf } = scene;
  const coming = nodes.map((node): Coming => {
    const { id, task, changed, known } = node;
    const isFree = !known || changed.has('parent') || changed.has('hint');
    const told = task.parent === undefined ? undefined : find(task.parent);
    const parentId = !known || changed.has('parent') ? told : ctx.tasks.get(id)?.parentId;
    if (task.parent !== undefined && told === undefined && (!known || changed.size > 0))
      lose(node, 'parent', `${shown(task.parent)} is not in the file`);
    return { id, ...(parentId ? { parentId } : {}), ...(task.hint ? { hint: task.hint } : {}), isFree };
  });
  const placed = places(coming, ctx.tasks);
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
  const { ctx, byId } = scene;
  const status = (id: TaskId): Status => {
    const node = byId.get(id);
    return node && takesState(node, ctx, scene.lose) ? node.task.status : ctx.tasks.get(id)!.status;
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

function grouped(edges: { from: TaskId; to: TaskId }[]): Map<TaskId, TaskId[]> {
  const found = new Map<TaskId, TaskId[]>();
  for (const { from, to } of edges) {
    const list = found.get(from);
    if (list) list.push(to);
    else found.set(from, [to]);
  }
  return found;
}
