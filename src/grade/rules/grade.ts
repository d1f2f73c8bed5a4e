import { defined } from '#lib/collections.ts';
import type { EntryReference, GradeEntry, GradeResult, Letter } from '../model/grade.ts';
import { getTaskId, listAddedTasks } from './grade-adds.ts';
import { gradeDimensions, type PointLoss } from './grade-rubric.ts';

/** Maps every operation name and alias to its operation, and says whether that only reads. */
export type OperationNames = ReadonlyMap<string, { name: string; isRead: boolean }>;

/** An entry that cost points, and the task id, title or words it was about. */
export interface CostlyEntry extends EntryReference {
  about?: string;
}

const noCounts = {
  entries: 0,
  ends: 0,
  finds: 0,
  lists: 0,
  shows: 0,
  exists: 0,
  adds: 0,
  undescribed: 0,
  subtasks: 0,
  unverified: 0,
  recovered: 0,
  unrecovered: 0,
  titles: 0,
  uniqueTitles: 0,
  helps: 0,
  queries: 0,
  otherReads: 0,
};
type Counts = typeof noCounts;

/** Counters of the rubric. They are cheap to copy, which happens at each end of the session. */
export interface Tally extends Counts {
  firstList?: EntryReference;
  firstTask?: EntryReference;
  last?: EntryReference;
  /** Not-found errors that a lookup can still recover, oldest first, with the number of entries left for it. */
  pending: readonly { error: CostlyEntry; left: number }[];
}

/** Entries of each kind in log order. The lists only grow, so the counters of an earlier tally say how much of them belongs to it. */
const createSeenEntries = () => ({
  lists: [] as EntryReference[],
  undescribedIds: [] as string[],
  undescribed: [] as CostlyEntry[],
  unverified: [] as CostlyEntry[],
  unrecoveredOperations: [] as string[],
  unrecovered: [] as CostlyEntry[],
  duplicates: [] as CostlyEntry[],
  otherReads: [] as EntryReference[],
});
type SeenEntries = ReturnType<typeof createSeenEntries>;

export interface GradeState {
  names: OperationNames;
  tally: Tally;
  /** The tally at the last end of the session; later entries are not graded. */
  ended?: Tally;
  seen: SeenEntries;
  titles: Set<string>;
  /** The log contains a read, which only grade mode records. */
  hasReads: boolean;
}

/** Number of entries that an explanation lists for one loss. */
const maxExplainedEntries = 10;
const recoveryWindow = 4;
const lookupOperations = new Set(['tasks.find', 'tasks.exists']);
const counterByOperation = new Map<string, keyof Counts>([
  ['tasks.find', 'finds'],
  ['tasks.list', 'lists'],
  ['tasks.show', 'shows'],
  ['tasks.exists', 'exists'],
  ['admin.help', 'helps'],
  ['tools.skill.show', 'helps'],
  ['tools.skill.list', 'helps'],
  ['skills.list', 'helps'],
  ['skills.show', 'helps'],
]);

export const startGrading = (names: OperationNames): GradeState => ({
  names,
  tally: { ...noCounts, pending: [] },
  seen: createSeenEntries(),
  titles: new Set(),
  hasReads: false,
});

/** Counts the next entry of the session. It changes `state` in place, because a log is long. */
export function addLogEntry(state: GradeState, entry: GradeEntry): void {
  const known = state.names.get(entry.operation);
  const name = known?.name ?? entry.operation;
  // Grading calls are skipped, so that grading a session twice gives the same result.
  if (name === 'admin.grade' || name === 'admin.grade.list') return;
  const { tally, seen } = state;
  const reference: EntryReference = { seq: entry.seq, operation: name, timestamp: entry.timestamp };
  tally.entries++;
  if (known?.isRead) state.hasReads = true;
  tally.last = reference;
  updateRecovery(state, name, entry.success);
  if (name.startsWith('tasks.')) tally.firstTask ??= reference;
  if (name === 'session.list') tally.firstList ??= reference;
  const counter = counterByOperation.get(name);
  if (counter) tally[counter]++;
  if (name === 'tasks.list') addExplained(seen.lists, reference);
  if (name === 'tasks.add' || name === 'tasks.add-batch') countAdds(state, { ...entry, operation: name }, reference);
  if (entry.gateway === 'cleo_query') tally.queries++;
  else if (known?.isRead) {
    tally.otherReads++;
    addExplained(seen.otherReads, reference);
  }
  if (entry.exitCode === 4) {
    const about = getTaskId(entry.params);
    tally.pending = [...tally.pending, { error: { ...reference, ...defined({ about }) }, left: recoveryWindow }];
  }
  if (name === 'session.end') {
    tally.ends++;
    if (entry.success) state.ended = { ...tally };
  }
}

/** Returns the grade and a loss for every missing point. */
export function finishGrading(
  state: GradeState,
  about: { sessionId: string; taskId?: string; timestamp: string },
): { result: GradeResult; losses: PointLoss[] } {
  const { dimensions, flags } = gradeDimensions(toGradedLog(state));
  const all = Object.values(dimensions);
  return {
    result: {
      sessionId: about.sessionId,
      ...defined({ taskId: about.taskId }),
      totalScore: all.reduce((sum, { score }) => sum + score, 0),
      maxScore: 100,
      dimensions: Object.fromEntries(
        Object.entries(dimensions).map(([name, { score, evidence }]) => [name, { score, max: 20, evidence }]),
      ) as GradeResult['dimensions'],
      flags,
      timestamp: about.timestamp,
      entryCount: (state.ended ?? state.tally).entries,
      evaluator: 'auto',
    },
    losses: all.flatMap(({ losses }) => losses),
  };
}

const thresholds: [Letter, number][] = [
  ['A', 90],
  ['B', 75],
  ['C', 60],
  ['D', 45],
];

export const getGradePercent = ({ totalScore, maxScore }: Pick<GradeResult, 'totalScore' | 'maxScore'>): number =>
  Math.round((100 * totalScore) / maxScore);
export const toLetter = (percent: number): Letter => thresholds.find(([, min]) => percent >= min)?.[0] ?? 'F';

/** Input of the rubric: a tally, and the seen entries that it counts. */
export interface GradedLog extends Tally {
  seen: SeenEntries;
}

/** Cuts the log at the last end of the session. Errors that still wait for a lookup there count as unrecovered. */
function toGradedLog({ tally, ended, seen }: GradeState): GradedLog {
  const final = ended ?? tally;
  const waiting = final.pending.map(({ error }) => error);
  return {
    ...final,
    unrecovered: final.unrecovered + waiting.length,
    seen: {
      lists: seen.lists.slice(0, final.lists),
      undescribedIds: seen.undescribedIds.slice(0, final.undescribed),
      undescribed: seen.undescribed.slice(0, final.undescribed),
      unverified: seen.unverified.slice(0, final.unverified),
      unrecoveredOperations: [...seen.unrecoveredOperations.slice(0, final.unrecovered), ...waiting.map(({ operation }) => operation)],
      unrecovered: [...seen.unrecovered.slice(0, final.unrecovered), ...waiting],
      duplicates: seen.duplicates.slice(0, final.titles - final.uniqueTitles),
      otherReads: seen.otherReads.slice(0, final.otherReads),
    },
  };
}

/** True if a call looks up what an earlier call did not find. A task is looked up by `tasks.find` and `tasks.exists`. Other things are
 *  also looked up by `find`, `list` and `exists` of their domain, by a successful call next to the failed one, or by help, which the
 *  error suggests if there is nothing to list: the log does not say what was missing, and each of these may be the call that the error
 *  suggested. Help recovers a missing task only at once, because only a project without tasks suggests it. */
function isRecovery(failed: string, name: string, { isSuccess, isNext }: { isSuccess: boolean; isNext: boolean }): boolean {
  if (lookupOperations.has(name)) return true;
  const isTask = failed.startsWith('tasks.');
  if (name === 'admin.help') return isSuccess && (isNext || !isTask);
  if (isTask || name.startsWith('tasks.')) return false;
  return /\.(find|list|exists)$/.test(name) || (isSuccess && getParentName(failed) === getParentName(name));
}

const getParentName = (operation: string): string => operation.slice(0, operation.lastIndexOf('.'));

/** Marks pending errors as recovered after a lookup; any other entry shortens their recovery window. */
function updateRecovery({ tally, seen }: GradeState, name: string, isSuccess: boolean): void {
  if (tally.pending.length === 0) return;
  const waiting = tally.pending.filter(
    ({ error, left }) => !isRecovery(error.operation, name, { isSuccess, isNext: left === recoveryWindow }),
  );
  tally.recovered += tally.pending.length - waiting.length;
  tally.pending = waiting;
  for (const { error, left } of tally.pending) {
    if (left > 1) continue;
    tally.unrecovered++;
    seen.unrecoveredOperations.push(error.operation);
    addExplained(seen.unrecovered, error);
  }
  tally.pending = tally.pending.flatMap(({ error, left }) => (left > 1 ? [{ error, left: left - 1 }] : []));
}

function countAdds({ tally, seen, titles }: GradeState, entry: GradeEntry, reference: EntryReference): void {
  for (const { id, hasDescription, key, title, parent } of listAddedTasks(entry)) {
    tally.adds++;
    if (!hasDescription) {
      tally.undescribed++;
      seen.undescribedIds.push(id);
      addExplained(seen.undescribed, { ...reference, ...defined({ about: title }) });
    }
    if (parent !== undefined) {
      tally.subtasks++;
      if (tally.exists === 0) {
        tally.unverified++;
        addExplained(seen.unverified, { ...reference, about: parent });
      }
    }
    if (key === undefined) continue;
    tally.titles++;
    if (titles.has(key)) addExplained(seen.duplicates, { ...reference, ...defined({ about: title }) });
    else {
      titles.add(key);
      tally.uniqueTitles++;
    }
  }
}

function addExplained<T>(list: T[], entry: T): void {
  if (list.length < maxExplainedEntries) list.push(entry);
}
