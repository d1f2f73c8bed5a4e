import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Links } from '#tasks/rules/order.ts';

export interface Cut {
  from: TaskId;
  to: TaskId;
}

/** Takes away, of each circle that could never be worked off, one dependency of a task that may lose it; a circle without
 *  one is refused. `links` is left without these dependencies. The moments are those of `order.ts`, as numbers: a task begins at
 *  2n and is finished at 2n + 1. Without recursion: a chain may be as long as the file. */
export function cutCircles(from: TaskId[], links: Links, mayLose: (id: TaskId) => boolean): Cut[] {
  const { idAt, numberOf } = numbered();
  const cuts: Cut[] = [];
  const waits = (moment: number): number[] => {
    const id = idAt[moment >> 1]!;
    if (moment & 1) return [moment - 1, ...(links.childrenOf.get(id) ?? []).map((child) => finish(numberOf(child)))];
    const parent = links.parentOf.get(id);
    const depends = (links.dependsOf.get(id) ?? []).map((on) => finish(numberOf(on)));
    return parent === undefined ? depends : [...depends, begin(numberOf(parent))];
  };
  // Where on the way each moment stands; behind it all, once everything it waits for is known.
  const placeOf = new Map<number, number>();
  const closed = -1;
  for (const start of from) {
    const way: { moment: number; next: number[] }[] = [];
    const enter = (moment: number): void => {
      placeOf.set(moment, way.length);
      way.push({ moment, next: waits(moment) });
    };
    if (!placeOf.has(finish(numberOf(start)))) enter(finish(numberOf(start)));
    while (way.length > 0) {
      const top = way.at(-1)!;
      const next = top.next.pop();
      const place = next === undefined ? undefined : placeOf.get(next);
      if (next === undefined) {
        placeOf.set(top.moment, closed);
        way.pop();
      } else if (place === undefined) enter(next);
      else if (place !== closed) {
        const steps = way.slice(place).map(({ moment }, i, circle) => ({ moment, to: circle[i + 1]?.moment ?? next, at: place + i }));
        const nameOf = (moment: number): TaskId => idAt[moment >> 1]!;
        // To begin, a task waits for others to be finished only because it depends on them.
        const cut = steps.findLast(({ moment, to }) => !(moment & 1) && to & 1 && mayLose(nameOf(moment)));
        if (!cut)
          throw new CleoError('E_CIRCULAR_REFERENCE', { path: [...new Set(steps.map((step) => nameOf(step.moment)))], what: 'parent' });
        const [id, on] = [nameOf(cut.moment), nameOf(cut.to)];
        links.dependsOf.set(
          id,
          (links.dependsOf.get(id) ?? []).filter((one) => one !== on),
        );
        cuts.push({ from: id, to: on });
        // What was reached through it is looked at again from elsewhere.
        for (const { moment } of way.splice(cut.at + 1)) placeOf.delete(moment);
      }
    }
  }
  return cuts;
}

const begin = (n: number): number => 2 * n;
const finish = (n: number): number => 2 * n + 1;

/** Tasks in the order in which they are met. */
function numbered(): { idAt: TaskId[]; numberOf(id: TaskId): number } {
  const idAt: TaskId[] = [];
  const numbers = new Map<TaskId, number>();
  const numberOf = (id: TaskId): number => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, idAt.length);
    return idAt.push(id) - 1;
  };
  return { idAt, numberOf };
}
