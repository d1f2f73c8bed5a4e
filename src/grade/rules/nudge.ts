import type { GradeEntry } from '../model/grade.ts';
import { addLogEntry, finishGrading, type OperationNames, startGrading } from './grade.ts';
import type { LossRule } from './grade-rubric.ts';

/** Messages for the losses that one call can cause. */
const messages: Partial<Record<LossRule, (points: number) => string>> = {
  list: (points) => `-${points}: a task operation before session.list; call session.list first`,
  discovery: (points) => `-${points}: tasks.list used for discovery; use tasks.find`,
  description: (points) => `-${points}: tasks.add without a description`,
  parent: (points) => `-${points}: call tasks.exists before adding below a parent`,
  lookup: (points) => `-${points} unless tasks.find or tasks.exists is among the next 4 calls`,
  duplicate: (points) => `-${points}: a task with that title exists; call tasks.find first`,
};
/** Rules that depend on the whole log before the call. */
const wholeLogRules: LossRule[] = ['list', 'parent'];

/** Returns a message if the call has just cost points: it compares the grade with the call to the grade without it. `recent` are the
 *  entries of the session before the call, oldest first. If they are not all of them, rules that need the whole log are skipped. */
export function createNudge(
  recent: GradeEntry[],
  call: GradeEntry,
  { names, isWhole }: { names: OperationNames; isWhole: boolean },
): string | undefined {
  const state = startGrading(names);
  for (const entry of recent) addLogEntry(state, entry);
  const before = sumLosses(state);
  addLogEntry(state, call);
  for (const [rule, points] of sumLosses(state)) {
    const more = points - (before.get(rule) ?? 0);
    if (more > 0 && messages[rule] && (isWhole || !wholeLogRules.includes(rule))) return messages[rule](more);
  }
  return undefined;
}

function sumLosses(state: ReturnType<typeof startGrading>): Map<LossRule, number> {
  const sums = new Map<LossRule, number>();
  // An empty log loses all points, but no call has caused that.
  if (state.tally.entries === 0) return sums;
  for (const { rule, points, entries } of finishGrading(state, { sessionId: '', timestamp: '' }).losses)
    if (rule !== 'list' || entries.length > 0) sums.set(rule, (sums.get(rule) ?? 0) + points);
  return sums;
}
