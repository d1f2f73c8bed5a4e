import { CleoError } from '../../errors/error.ts';
import type { TaskId } from '../../model/scalars.ts';
import { type Links, type Moment, waitsFor } from '../order.ts';

export interface Cut {
  from: TaskId;
  to: TaskId;
}

/** Takes away, of each circle that could never be worked off, one dependency of a task that may lose it; a circle without
 *  one is refused. `links` is left without these dependencies. Without recursion: a chain may be as long as the file. */
export function cutCircles(from: TaskId[], links: Links, mayLose: (id: TaskId) => boolean): Cut[] {
  const cuts: Cut[] = [];
  const placeOf = new Map<Moment, number | 'closed'>();
  for (const start of from) {
    const stack: { moment: Moment; next: Moment[] }[] = [];
    const enter = (moment: Moment): void => {
      placeOf.set(moment, stack.length);
      stack.push({ moment, next: waitsFor(moment, links) });
    };
    if (!placeOf.has(`finish ${start}`)) enter(`finish ${start}`);
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const next = top.next.pop();
      const place = next === undefined ? undefined : placeOf.get(next);
      if (next === undefined) {
        placeOf.set(top.moment, 'closed');
        stack.pop();
      } else if (place === undefined) enter(next);
      else if (place !== 'closed') {
        const steps = stack.slice(place).map(({ moment }, i, circle) => ({ moment, to: circle[i + 1]?.moment ?? next, at: place + i }));
        const cut = steps.findLast(({ moment, to }) => isDependency(moment, to) && mayLose(idOf(moment)));
        if (!cut)
          throw new CleoError('E_CIRCULAR_REFERENCE', { path: [...new Set(steps.map(({ moment }) => idOf(moment)))], what: 'parent' });
        const [id, on] = [idOf(cut.moment), idOf(cut.to)];
        links.dependsOf.set(
          id,
          (links.dependsOf.get(id) ?? []).filter((one) => one !== on),
        );
        cuts.push({ from: id, to: on });
        // What was reached through it is looked at again from elsewhere.
        for (const { moment } of stack.splice(cut.at + 1)) placeOf.delete(moment);
      }
    }
  }
  return cuts;
}

const idOf = (moment: Moment): TaskId => moment.slice(moment.indexOf(' ') + 1);
/** To begin, a task waits for others to be finished only because it depends on them. */
const isDependency = (moment: Moment, to: Moment): boolean => moment.startsWith('begin') && to.startsWith('finish');
