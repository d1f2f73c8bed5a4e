import type { TaskId } from '#core/model/scalars.ts';

/** What is known of a part of the task graph. */
export interface Links {
  parentOf: Map<TaskId, TaskId>;
  dependsOf: Map<TaskId, TaskId[]>;
  childrenOf: Map<TaskId, TaskId[]>;
}

/** A task has two moments. It can begin once its depends are finished and whatever contains it may begin; it is
 *  finished after it began and all its children are finished. A circle among these moments can never be worked off:
 *  that is every circle of depends, a depends on what one is inside of or contains, and any mixture of both. */
export type Moment = `begin ${TaskId}` | `finish ${TaskId}`;

export function waitsFor(moment: Moment, links: Links): Moment[] {
  const [kind, id] = moment.split(' ') as ['begin' | 'finish', TaskId];
  if (kind === 'finish') return [`begin ${id}`, ...(links.childrenOf.get(id) ?? []).map((child): Moment => `finish ${child}`)];
  const parent = links.parentOf.get(id);
  return [...(links.dependsOf.get(id) ?? []).map((on): Moment => `finish ${on}`), ...(parent ? [`begin ${parent}` as Moment] : [])];
}

/** The tasks of a circle that passes through one of these, first and last the same; undefined if there is none. */
export function circle(from: TaskId[], links: Links): TaskId[] | undefined {
  return circles(from, links).next().value ?? undefined;
}

/** One circle for each step that closes one: without these steps there is none left.
 *  Without recursion: a chain may be as long as the project. */
export function* circles(from: TaskId[], links: Links): Generator<TaskId[], undefined> {
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
      else if (place !== 'closed') yield pathOf(stack.slice(place).map((frame) => frame.moment));
    }
  }
}

/** The two moments of one task count once. */
function pathOf(moments: Moment[]): TaskId[] {
  const ids = moments.map((moment) => moment.split(' ')[1] as TaskId);
  const path = ids.filter((id, i) => i === 0 || id !== ids[i - 1]);
  if (path.length > 1 && path.at(-1) === path[0]) path.pop();
  return [...path, path[0]!];
}
