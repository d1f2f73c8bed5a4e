import type { GradeEntry } from '../model/grade.ts';
import { gradeEnd, gradeStart, gradeStep, type Names } from './grade.ts';
import type { Rule } from './grade-rubric.ts';

/** What one call can cost, and what to say to whoever made it. */
const words: Partial<Record<Rule, (points: number) => string>> = {
  list: (points) => `-${points}: a task operation before session.list; look at the sessions first`,
  discovery: (points) => `-${points}: tasks.list; tasks.find is enough to find a task`,
  description: (points) => `-${points}: tasks.add without a description`,
  parent: (points) => `-${points}: ask tasks.exists before adding below a parent`,
  lookup: (points) => `-${points} unless tasks.find or tasks.exists is among the next 4 calls`,
  duplicate: (points) => `-${points}: there is a task with that title; ask tasks.find first`,
};
/** Told by what came before, all of it. */
const ofWholeLog: Rule[] = ['list', 'parent'];

/** What the call has just cost, by the rubric itself: the grade with it against the grade without it. `recent` are the entries of the
 *  session before it, oldest first; where they are not all of them, what only the whole log could tell is not said. */
export function nudgeFor(
  recent: GradeEntry[],
  call: GradeEntry,
  { names, isWhole }: { names: Names; isWhole: boolean },
): string | undefined {
  const state = gradeStart(names);
  for (const entry of recent) gradeStep(state, entry);
  const before = costs(state);
  gradeStep(state, call);
  for (const [rule, points] of costs(state)) {
    const more = points - (before.get(rule) ?? 0);
    if (more > 0 && words[rule] && (isWhole || !ofWholeLog.includes(rule))) return words[rule](more);
  }
  return undefined;
}

function costs(state: ReturnType<typeof gradeStart>): Map<Rule, number> {
  const sums = new Map<Rule, number>();
  // Before its first entry a log has lost nothing by a call.
  if (state.tally.entries === 0) return sums;
  for (const { rule, points, entries } of gradeEnd(state, { sessionId: '', timestamp: '' }).losses)
    if (rule !== 'list' || entries.length > 0) sums.set(rule, (sums.get(rule) ?? 0) + points);
  return sums;
}
