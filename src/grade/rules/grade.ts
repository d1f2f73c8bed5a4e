import type { GradeEntry, GradeResult, Letter, Trace } from '../model/grade.ts';
import { addedBy, namedTask } from './grade-adds.ts';
import { type Judgement, judge, type Loss } from './grade-rubric.ts';

/** What the catalogue says of a name that was called: the operation it stands for, and whether that only reads. */
export type Names = ReadonlyMap<string, { name: string; isRead: boolean }>;

/** An entry that cost points, and what it was about. */
export interface Sight extends Trace {
  about?: string;
}

/** What the rubric counts. Plain numbers and short lists, so that it can be set aside at each end of the session. */
export interface Tally {
  entries: number;
  firstList?: Trace;
  firstTask?: Trace;
  last?: Trace;
  ends: number;
  finds: number;
  lists: number;
  shows: number;
  exists: number;
  adds: number;
  undescribed: number;
  subtasks: number;
  unverified: number;
  recovered: number;
  unrecovered: number;
  titles: number;
  uniqueTitles: number;
  helps: number;
  queries: number;
  otherReads: number;
  /** Not-found errors that a lookup can still make good, oldest first, with how many entries are left for it. */
  pending: readonly { error: Sight; left: number }[];
}

/** What has been seen of each kind, in log order. A list only grows, so that a tally set aside knows its part by its count. */
interface Seen {
  lists: Trace[];
  undescribedIds: string[];
  undescribed: Sight[];
  unverified: Sight[];
  unrecoveredOperations: string[];
  unrecovered: Sight[];
  duplicates: Sight[];
  otherReads: Trace[];
}

export interface GradeState {
  names: Names;
  tally: Tally;
  /** The tally at the last end of the session: what comes after it is not graded. */
  ended?: Tally;
  seen: Seen;
  titles: Set<string>;
}

/** How many entries of one kind an explanation names. */
export const shownEntries = 10;
const window = 4;
const lookups = new Set(['tasks.find', 'tasks.exists']);
const helps = new Set(['admin.help', 'tools.skill.show', 'tools.skill.list', 'skills.list', 'skills.show']);

export function gradeStart(names: Names): GradeState {
  return {
    names,
    tally: {
      ...{ entries: 0, ends: 0, finds: 0, lists: 0, shows: 0, exists: 0, adds: 0, undescribed: 0, subtasks: 0, unverified: 0 },
      ...{ recovered: 0, unrecovered: 0, titles: 0, uniqueTitles: 0, helps: 0, queries: 0, otherReads: 0, pending: [] },
    },
    seen: {
      ...{ lists: [], undescribedIds: [], undescribed: [], unverified: [] },
      ...{ unrecoveredOperations: [], unrecovered: [], duplicates: [], otherReads: [] },
    },
    titles: new Set(),
  };
}

/** One entry of the session, in log order. Changes the state that `gradeStart` made: a log is long, and each step is cheap. */
export function gradeStep(state: GradeState, entry: GradeEntry): void {
  const known = state.names.get(entry.operation);
  const name = known?.name ?? entry.operation;
  // Grading is no part of what is graded, so that grading again gives the same.
  if (name === 'admin.grade' || name === 'admin.grade.list') return;
  const { tally, seen } = state;
  const trace: Trace = { seq: entry.seq, operation: name, timestamp: entry.timestamp };
  tally.entries++;
  tally.last = trace;
  recover(state, name);
  if (name.startsWith('tasks.')) tally.firstTask ??= trace;
  if (name === 'session.list') tally.firstList ??= trace;
  else if (name === 'tasks.find') tally.finds++;
  else if (name === 'tasks.list') {
    tally.lists++;
    note(seen.lists, trace, shownEntries);
  } else if (name === 'tasks.show') tally.shows++;
  else if (name === 'tasks.add' || name === 'tasks.add-batch') countAdds(state, { ...entry, operation: name }, trace);
  else if (name === 'tasks.exists') tally.exists++;
  else if (helps.has(name)) tally.helps++;
  if (entry.gateway === 'cleo_query') tally.queries++;
  else if (known?.isRead) {
    tally.otherReads++;
    note(seen.otherReads, trace, shownEntries);
  }
  if (entry.exitCode === 4) {
    const about = namedTask(entry.params);
    tally.pending = [...tally.pending, { error: { ...trace, ...(about === undefined ? {} : { about }) }, left: window }];
  }
  if (name === 'session.end') {
    tally.ends++;
    if (entry.success) state.ended = { ...tally };
  }
}

/** The grade, and where each lost point went. */
export function gradeEnd(
  state: GradeState,
  about: { sessionId: string; taskId?: string; timestamp: string },
): { result: GradeResult; losses: Loss[] } {
  const { judgements, flags } = judge(concluded(state));
  const scored = ({ score, evidence }: Judgement) => ({ score, max: 20 as const, evidence });
  const { sessionDiscipline, discoveryEfficiency, taskHygiene, errorProtocol, disclosureUse } = judgements;
  const all = Object.values(judgements);
  return {
    result: {
      sessionId: about.sessionId,
      ...(about.taskId ? { taskId: about.taskId } : {}),
      totalScore: all.reduce((sum, { score }) => sum + score, 0),
      maxScore: 100,
      dimensions: {
        sessionDiscipline: scored(sessionDiscipline),
        discoveryEfficiency: scored(discoveryEfficiency),
        taskHygiene: scored(taskHygiene),
        errorProtocol: scored(errorProtocol),
        disclosureUse: scored(disclosureUse),
      },
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

export const percentOf = ({ totalScore, maxScore }: Pick<GradeResult, 'totalScore' | 'maxScore'>): number =>
  Math.round((100 * totalScore) / maxScore);
export const letterOf = (percent: number): Letter => thresholds.find(([, least]) => percent >= least)?.[0] ?? 'F';

/** What the rubric judges: a tally, and of what was seen the part that it counts. */
export interface Concluded extends Tally {
  seen: { [K in keyof Seen]: Seen[K] };
}

/** An error that is still waiting for its lookup when the session ends has not got one. */
function concluded({ tally, ended, seen }: GradeState): Concluded {
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

/** A lookup makes good every error that is still waiting; any other entry brings each nearer to its end. */
function recover({ tally, seen }: GradeState, name: string): void {
  if (tally.pending.length === 0) return;
  if (lookups.has(name)) {
    tally.recovered += tally.pending.length;
    tally.pending = [];
    return;
  }
  const waiting: { error: Sight; left: number }[] = [];
  for (const { error, left } of tally.pending) {
    if (left > 1) waiting.push({ error, left: left - 1 });
    else {
      tally.unrecovered++;
      seen.unrecoveredOperations.push(error.operation);
      note(seen.unrecovered, error, shownEntries);
    }
  }
  tally.pending = waiting;
}

function countAdds({ tally, seen, titles }: GradeState, entry: GradeEntry, trace: Trace): void {
  for (const { id, hasDescription, key, title, parent } of addedBy(entry)) {
    tally.adds++;
    if (!hasDescription) {
      tally.undescribed++;
      seen.undescribedIds.push(id);
      note(seen.undescribed, { ...trace, ...(title === undefined ? {} : { about: title }) }, shownEntries);
    }
    if (parent !== undefined) {
      tally.subtasks++;
      if (tally.exists === 0) {
        tally.unverified++;
        note(seen.unverified, { ...trace, about: parent }, shownEntries);
      }
    }
    if (key === undefined) continue;
    tally.titles++;
    if (titles.has(key)) note(seen.duplicates, { ...trace, ...(title === undefined ? {} : { about: title }) }, shownEntries);
    else {
      titles.add(key);
      tally.uniqueTitles++;
    }
  }
}

function note<T>(list: T[], item: T, most: number): void {
  if (list.length < most) list.push(item);
}
