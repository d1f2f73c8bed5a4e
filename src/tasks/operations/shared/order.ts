import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { addToList, defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import { findCycle, listPrerequisites, type Milestone, parseMilestone, type TaskLinks } from '../../rules/order.ts';

/** The parent and the dependencies of a task after a planned change. */
interface PlannedTask {
  id: TaskId;
  parentId?: TaskId | undefined;
  depends: TaskId[];
}

/** Rejects (exit 14) a change that would create a cycle. */
export async function checkNoCycle(store: ReadStore, planned: PlannedTask[], what: 'depends' | 'parent'): Promise<void> {
  for (const task of planned)
    if (task.depends.includes(task.id)) throw new CleoError('E_CIRCULAR_REFERENCE', { path: [task.id, task.id], what, look: task.id });
  const links = await loadReachableLinks(store, planned);
  const path = findCycle(
    planned.map((task) => task.id),
    links,
  );
  if (!path) return;
  // The fix must name a stored task: a planned one cannot be shown.
  const unsaved = new Set(await store.tasks.findMissing(path));
  const look = path.find((id) => !unsaved.has(id));
  throw new CleoError('E_CIRCULAR_REFERENCE', defined({ path, what, look }));
}

/** Loads the part of the graph that the planned tasks wait for, level by level. Planned links replace stored ones. */
export async function loadReachableLinks(store: ReadStore, planned: PlannedTask[]): Promise<TaskLinks> {
  const overlay = new Map(planned.map((task) => [task.id, task]));
  const plannedChildren = new Map<TaskId, TaskId[]>();
  for (const task of planned) if (task.parentId) addToList(plannedChildren, task.parentId, task.id);
  const links: TaskLinks = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  const visited = new Set<Milestone>();
  let frontier = new Set<Milestone>(planned.map((task): Milestone => `finish ${task.id}`));
  while (frontier.size > 0) {
    const begin: TaskId[] = [];
    const finish: TaskId[] = [];
    for (const milestone of frontier) {
      visited.add(milestone);
      const [kind, id] = parseMilestone(milestone);
      (kind === 'begin' ? begin : finish).push(id);
    }
    const stored = await store.tasks.getLinks(begin.filter((id) => !overlay.has(id)));
    for (const { id, parentId, depends } of [...stored, ...begin.flatMap((id) => overlay.get(id) ?? [])]) {
      if (parentId) links.parentOf.set(id, parentId);
      links.dependsOf.set(id, depends);
    }
    for (const { from, to } of await store.tasks.listChildIds(finish)) if (!overlay.has(to)) addToList(links.childrenOf, from, to);
    for (const id of finish) for (const child of plannedChildren.get(id) ?? []) addToList(links.childrenOf, id, child);
    const next = [...frontier].flatMap((milestone) => listPrerequisites(milestone, links));
    frontier = new Set(next.filter((milestone) => !visited.has(milestone)));
  }
  return links;
}
