import type { TaskId } from '#core/model/scalars.ts';

/** Edges of a part of the task graph. */
export interface TaskLinks {
  parentOf: Map<TaskId, TaskId>;
  dependsOf: Map<TaskId, TaskId[]>;
  childrenOf: Map<TaskId, TaskId[]>;
}

/** Each task has two milestones. It can begin once its dependencies are finished and its parent can begin; it is finished after it
 *  began and all its children are finished. A cycle of milestones can never be completed. This covers cycles of dependencies,
 *  dependencies on an ancestor or a descendant, and any mixture of them. */
export type Milestone = `begin ${TaskId}` | `finish ${TaskId}`;

export const parseMilestone = (milestone: Milestone): ['begin' | 'finish', TaskId] => milestone.split(' ') as ['begin' | 'finish', TaskId];

/** Lists the milestones that must be reached first. */
export function listPrerequisites(milestone: Milestone, links: TaskLinks): Milestone[] {
  const [kind, id] = parseMilestone(milestone);
  if (kind === 'finish') return [`begin ${id}`, ...(links.childrenOf.get(id) ?? []).map((child): Milestone => `finish ${child}`)];
  const parent = links.parentOf.get(id);
  return [...(links.dependsOf.get(id) ?? []).map((on): Milestone => `finish ${on}`), ...(parent ? [`begin ${parent}` as Milestone] : [])];
}

/** Checks whether new tasks can be worked on in the order of the list, which rules out a cycle: no task has dependencies, or every parent
 *  is in front of its children, and every dependency with all its descendants is in front of the task. The tasks of most batches are in
 *  such an order, and it is found without reading the graph. `indexes` has the position of each task. */
export function isForwardOrder(
  tasks: { id: TaskId; parentId?: TaskId | undefined; depends: TaskId[] }[],
  indexes = new Map(tasks.map(({ id }, i) => [id, i])),
): boolean {
  if (tasks.every((task) => task.depends.length === 0)) return true;
  /** The position of the last descendant of each task. */
  const ends: number[] = [];
  for (let i = 0; i < tasks.length; i++) {
    const above = tasks[i]!.parentId;
    if (above !== undefined && (indexes.get(above) ?? i) >= i) return false;
    for (let up: number | undefined = i; up !== undefined; ) {
      ends[up] = i;
      const parent: TaskId | undefined = tasks[up]!.parentId;
      up = parent === undefined ? undefined : indexes.get(parent);
    }
  }
  return tasks.every(({ depends }, i) => depends.every((on) => (ends[indexes.get(on) ?? i] ?? i) < i));
}

/** Finds a cycle through one of these tasks; its first and last id are the same. */
export function findCycle(from: TaskId[], links: TaskLinks): TaskId[] | undefined {
  return findCycles(from, links).next().value ?? undefined;
}

/** Yields one cycle for each edge that closes one; removing these edges leaves no cycle. Iterative, because a chain can be as long as
 *  the project. */
export function* findCycles(from: TaskId[], links: TaskLinks): Generator<TaskId[], undefined> {
  const positions = new Map<Milestone, number | 'closed'>();
  for (const start of from) {
    const stack: { milestone: Milestone; next: Milestone[] }[] = [];
    const enter = (milestone: Milestone): void => {
      positions.set(milestone, stack.length);
      stack.push({ milestone, next: listPrerequisites(milestone, links) });
    };
    if (!positions.has(`finish ${start}`)) enter(`finish ${start}`);
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const next = top.next.pop();
      const position = next === undefined ? undefined : positions.get(next);
      if (next === undefined) {
        positions.set(top.milestone, 'closed');
        stack.pop();
      } else if (position === undefined) enter(next);
      else if (position !== 'closed') yield toTaskPath(stack.slice(position).map((frame) => frame.milestone));
    }
  }
}

/** Merges the two milestones of a task into one step. */
function toTaskPath(milestones: Milestone[]): TaskId[] {
  const ids = milestones.map((milestone) => parseMilestone(milestone)[1]);
  const path = ids.filter((id, i) => i === 0 || id !== ids[i - 1]);
  if (path.length > 1 && path.at(-1) === path[0]) path.pop();
  return [...path, path[0]!];
}
