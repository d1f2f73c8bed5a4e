import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import { circle, type Links, type Moment, waitsFor } from '../../rules/order.ts';

/** What is about to change: new or altered parents and depends, not yet in the store. */
export interface Planned {
  id: TaskId;
  parentId?: TaskId | undefined;
  depends: TaskId[];
}

/** Refuses (14) a change after which some task could never be worked off. */
export async function checkOrder(store: ReadStore, planned: Planned[], what: 'depends' | 'parent'): Promise<void> {
  for (const task of planned)
    if (task.depends.includes(task.id)) throw new CleoError('E_CIRCULAR_REFERENCE', { path: [task.id, task.id], what, look: task.id });
  const links = await reachable(store, planned);
  const path = circle(
    planned.map((task) => task.id),
    links,
  );
  if (!path) return;
  // What is only planned cannot be looked at; the way out starts at a task that exists.
  const unborn = new Set(await store.tasks.missing(path));
  const look = path.find((id) => !unborn.has(id));
  throw new CleoError('E_CIRCULAR_REFERENCE', { path, what, ...(look ? { look } : {}) });
}

/** The part of the graph that the planned tasks wait for, level by level, with the plan laid over the store. */
export async function reachable(store: ReadStore, planned: Planned[]): Promise<Links> {
  const overlay = new Map(planned.map((task) => [task.id, task]));
  const plannedChildren = new Map<TaskId, TaskId[]>();
  for (const task of planned) if (task.parentId) add(plannedChildren, task.parentId, task.id);
  const links: Links = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  const known = { begin: new Set<TaskId>(), finish: new Set<TaskId>() };
  let frontier = new Set<Moment>(planned.map((task): Moment => `finish ${task.id}`));
  while (frontier.size > 0) {
    const begin = [...frontier].filter((m) => m.startsWith('begin')).map((m) => m.slice(6));
    const finish = [...frontier].filter((m) => m.startsWith('finish')).map((m) => m.slice(7));
    for (const id of begin) known.begin.add(id);
    for (const id of finish) known.finish.add(id);
    const stored = await store.tasks.links(begin.filter((id) => !overlay.has(id)));
    for (const { id, parentId, depends } of [...stored, ...begin.flatMap((id) => overlay.get(id) ?? [])]) {
      if (parentId) links.parentOf.set(id, parentId);
      links.dependsOf.set(id, depends);
    }
    for (const { from, to } of await store.tasks.childIds(finish)) if (!overlay.has(to)) add(links.childrenOf, from, to);
    for (const id of finish) for (const child of plannedChildren.get(id) ?? []) add(links.childrenOf, id, child);
    const next = new Set<Moment>();
    for (const moment of frontier)
      for (const wait of waitsFor(moment, links)) {
        const [kind, id] = wait.split(' ') as ['begin' | 'finish', TaskId];
        if (!known[kind].has(id)) next.add(wait);
      }
    frontier = next;
  }
  return links;
}

function add(map: Map<TaskId, TaskId[]>, key: TaskId, value: TaskId): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
