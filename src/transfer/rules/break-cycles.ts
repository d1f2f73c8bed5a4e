import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { TaskLinks } from '#tasks/rules/order.ts';

interface RemovedDependency {
  from: TaskId;
  to: TaskId;
}

/** Removes one dependency from each cycle in `links` and returns the removed ones: if possible one of a task that `isPreferred` selects.
 *  Milestones are those of `order.ts`, as numbers: task n begins at 2n and is finished at 2n + 1. Iterative, because a chain can be as
 *  long as the file. */
export function breakCycles(from: TaskId[], links: TaskLinks, isPreferred: (id: TaskId) => boolean): RemovedDependency[] {
  const { idAt, getNumber } = createNumbering();
  const removed: RemovedDependency[] = [];
  const listWaits = (milestone: number): number[] => {
    const id = idAt[milestone >> 1]!;
    if (milestone & 1) return [milestone - 1, ...(links.childrenOf.get(id) ?? []).map((child) => toFinish(getNumber(child)))];
    const parent = links.parentOf.get(id);
    const depends = (links.dependsOf.get(id) ?? []).map((on) => toFinish(getNumber(on)));
    return parent === undefined ? depends : [...depends, toBegin(getNumber(parent))];
  };
  // Index of each milestone on the stack, or `closed` once all its prerequisites were visited.
  const positions = new Map<number, number>();
  const closed = -1;
  for (const start of from) {
    const stack: { milestone: number; next: number[] }[] = [];
    const enter = (milestone: number): void => {
      positions.set(milestone, stack.length);
      stack.push({ milestone, next: listWaits(milestone) });
    };
    if (!positions.has(toFinish(getNumber(start)))) enter(toFinish(getNumber(start)));
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const next = top.next.pop();
      const position = next === undefined ? undefined : positions.get(next);
      if (next === undefined) {
        positions.set(top.milestone, closed);
        stack.pop();
      } else if (position === undefined) enter(next);
      else if (position !== closed) {
        const steps = stack
          .slice(position)
          .map(({ milestone }, i, cycle) => ({ milestone, to: cycle[i + 1]?.milestone ?? next, at: position + i }));
        const getId = (milestone: number): TaskId => idAt[milestone >> 1]!;
        // A step from a begin to a finish milestone is always a dependency.
        const dependencies = steps.filter(({ milestone, to }) => !(milestone & 1) && to & 1);
        const cut = dependencies.findLast(({ milestone }) => isPreferred(getId(milestone))) ?? dependencies.at(-1);
        if (!cut)
          throw new CleoError('E_CIRCULAR_REFERENCE', { path: [...new Set(steps.map((step) => getId(step.milestone)))], what: 'parent' });
        const [id, on] = [getId(cut.milestone), getId(cut.to)];
        links.dependsOf.set(
          id,
          (links.dependsOf.get(id) ?? []).filter((other) => other !== on),
        );
        removed.push({ from: id, to: on });
        // Milestones reached through the removed dependency are visited again from elsewhere.
        for (const { milestone } of stack.splice(cut.at + 1)) positions.delete(milestone);
      }
    }
  }
  return removed;
}

const toBegin = (n: number): number => 2 * n;
const toFinish = (n: number): number => 2 * n + 1;

/** Numbers tasks in the order in which they are first seen. */
function createNumbering(): { idAt: TaskId[]; getNumber(id: TaskId): number } {
  const idAt: TaskId[] = [];
  const numbers = new Map<TaskId, number>();
  const getNumber = (id: TaskId): number => {
    const number = numbers.get(id);
    if (number !== undefined) return number;
    numbers.set(id, idAt.length);
    return idAt.push(id) - 1;
  };
  return { idAt, getNumber };
}
