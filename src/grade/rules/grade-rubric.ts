import type { DimensionName, EntryReference } from '../model/grade.ts';
import type { CostlyEntry, GradedLog } from './grade.ts';

/** The rule that took points away. `createNudge` uses it to find the losses that one call can cause. */
export type LossRule =
  | 'log'
  | 'list'
  | 'end'
  | 'find'
  | 'discovery'
  | 'show'
  | 'description'
  | 'parent'
  | 'lookup'
  | 'duplicate'
  | 'help'
  | 'mcp';

/** The call that would have avoided a loss. */
interface Remedy {
  operation: string;
  params: Record<string, unknown>;
  /** The points are earned over MCP only. */
  onlyMcp?: true;
}

const findRemedy: Remedy = { operation: 'tasks.find', params: { query: '<words>' } };

export interface PointLoss {
  dimension: DimensionName;
  rule: LossRule;
  points: number;
  reason: string;
  entries: EntryReference[];
  more?: number;
  remedy: Remedy;
}

/** Rules that recorded reads decide. Without grade mode reads are not recorded, and a loss by one of them may be none. */
const readRules = new Set<LossRule>(['list', 'find', 'discovery', 'show', 'parent', 'lookup', 'help', 'mcp']);

/** Lists the dimensions whose score is unknown if reads were not recorded. */
export const listUnknownDimensions = (losses: PointLoss[]): DimensionName[] => [
  ...new Set(losses.filter(({ rule }) => readRules.has(rule)).map(({ dimension }) => dimension)),
];

interface DimensionGrade {
  score: number;
  evidence: string[];
  losses: PointLoss[];
}

/** Grades the five dimensions in order. Flags are in the order in which the rubric raises them. */
export function gradeDimensions(log: GradedLog): { dimensions: Record<DimensionName, DimensionGrade>; flags: string[] } {
  const flags: string[] = [];
  if (log.entries === 0) flags.push('No audit entries found for session');
  const gradeDimension = (dimension: DimensionName, from: 0 | 20, rules: (log: GradedLog, sheet: ScoreSheet) => void): DimensionGrade => {
    const sheet = createScoreSheet(dimension, log.entries === 0 ? 0 : from, flags);
    if (log.entries === 0)
      sheet.miss('log', 20, 'no calls were recorded', [], {
        operation: 'session.start',
        params: { scope: 'global', autoFocus: true, grade: true },
      });
    else rules(log, sheet);
    return sheet.grade;
  };
  return {
    dimensions: {
      sessionDiscipline: gradeDimension('sessionDiscipline', 0, gradeSessionDiscipline),
      discoveryEfficiency: gradeDimension('discoveryEfficiency', 0, gradeDiscoveryEfficiency),
      taskHygiene: gradeDimension('taskHygiene', 20, gradeTaskHygiene),
      errorProtocol: gradeDimension('errorProtocol', 20, gradeErrorProtocol),
      disclosureUse: gradeDimension('disclosureUse', 0, gradeDisclosureUse),
    },
    flags,
  };
}

function gradeSessionDiscipline({ firstList, firstTask, last, ends }: GradedLog, { earn, miss, flag }: ScoreSheet): void {
  if (firstList && (!firstTask || firstList.seq < firstTask.seq)) earn(10, 'session.list called before first task op');
  else
    miss(
      'list',
      10,
      flag(
        firstList
          ? 'session.list called after task ops (should check sessions first)'
          : 'session.list never called (check existing sessions before starting)',
      ),
      firstTask ? [firstTask] : [],
      { operation: 'session.list', params: {} },
    );
  if (ends > 0) earn(10, 'session.end called');
  else
    miss('end', 10, flag('session.end never called (always end sessions when done)'), last ? [last] : [], {
      operation: 'session.end',
      params: { note: '<what is done, what is open>' },
    });
}

function gradeDiscoveryEfficiency({ finds, lists, shows, seen }: GradedLog, { earn, miss, flag }: ScoreSheet): void {
  const total = finds + lists;
  if (total === 0) {
    earn(10, 'No discovery calls needed');
    miss('find', 5, 'tasks.find never called (10 of 15 points without it)', [], findRemedy);
  } else if (finds / total >= 0.8) earn(15, `find:list ratio ${Math.round((100 * finds) / total)}% >= 80%`);
  else {
    const share = Math.round(15 * (finds / total));
    earn(share);
    miss('discovery', 15 - share, flag(`tasks.list used ${lists}x (prefer tasks.find for discovery)`), seen.lists, findRemedy, lists);
  }
  if (shows > 0) earn(5, `tasks.show used ${shows}x for detail`);
  else miss('show', 5, 'tasks.show never called', [], { operation: 'tasks.show', params: { taskId: '<id>' } });
}

function gradeTaskHygiene({ adds, undescribed, subtasks, unverified, seen }: GradedLog, { earn, deduct, flag }: ScoreSheet): void {
  seen.undescribedIds.forEach((id, i) => {
    const add = seen.undescribed[i];
    deduct('description', 5, flag(`tasks.add without description (taskId: ${id})`), add ? [add] : [], {
      operation: 'tasks.add',
      params: { title: add?.about ?? '<title>', description: '<what it is about>' },
    });
  });
  const [first] = seen.unverified;
  if (unverified > 0)
    deduct(
      'parent',
      3,
      flag('Subtasks created without tasks.exists parent check'),
      seen.unverified,
      { operation: 'tasks.exists', params: { taskId: first?.about ?? '<id>' } },
      unverified,
    );
  else if (subtasks > 0) earn(0, 'Parent existence verified before subtask creation');
  if (adds > 0 && undescribed === 0) earn(0, `All ${adds} tasks.add calls had descriptions`);
}

function gradeErrorProtocol({ recovered, unrecovered, titles, uniqueTitles, seen }: GradedLog, { earn, deduct, flag }: ScoreSheet): void {
  for (let i = 0; i < recovered; i++) earn(0, 'E_NOT_FOUND followed by recovery lookup');
  seen.unrecoveredOperations.forEach((operation, i) => {
    const error = seen.unrecovered[i];
    deduct(
      'lookup',
      5,
      flag(`E_NOT_FOUND on ${operation} not followed by tasks.find or tasks.exists`),
      error ? [error] : [],
      suggestLookup(error),
    );
  });
  const duplicates = titles - uniqueTitles;
  if (duplicates > 0)
    deduct(
      'duplicate',
      5,
      flag(`${duplicates} potentially duplicate task create(s) detected`),
      seen.duplicates,
      { operation: 'tasks.find', params: { query: seen.duplicates[0]?.about ?? '<words>' } },
      duplicates,
    );
  if (unrecovered === 0 && duplicates === 0) earn(0, 'No error protocol violations');
}

const suggestLookup = (error: CostlyEntry | undefined): Remedy =>
  error?.about === undefined ? findRemedy : { operation: 'tasks.exists', params: { taskId: error.about } };

function gradeDisclosureUse({ helps, queries, otherReads, seen }: GradedLog, { earn, miss, flag }: ScoreSheet): void {
  if (helps > 0) earn(10, `Progressive disclosure used (${helps}x)`);
  else
    miss('help', 10, flag('No admin.help or skill lookup calls (load ct-cleo for guidance)'), [], { operation: 'admin.help', params: {} });
  if (queries > 0) earn(10, `cleo_query (MCP) used ${queries}x`);
  else
    miss(
      'mcp',
      10,
      flag('No MCP query calls (prefer cleo_query over CLI for programmatic access)'),
      seen.otherReads,
      { ...findRemedy, onlyMcp: true },
      otherReads,
    );
}

interface ScoreSheet {
  grade: DimensionGrade;
  earn(points: number, evidence?: string): void;
  /** Records points that were not earned. */
  miss: RecordLoss;
  /** Takes points away, down to a score of 0. */
  deduct: RecordLoss;
  flag(text: string): string;
}
type RecordLoss = (rule: LossRule, points: number, reason: string, entries: CostlyEntry[], remedy: Remedy, count?: number) => void;

/** Collects the score of one dimension. Score and losses always add up to 20. */
function createScoreSheet(dimension: DimensionName, from: 0 | 20, flags: string[]): ScoreSheet {
  const grade: DimensionGrade = { score: from, evidence: [], losses: [] };
  const miss: RecordLoss = (rule, points, reason, entries, remedy, count = entries.length) => {
    grade.losses.push({
      dimension,
      rule,
      points,
      reason,
      entries: entries.map(({ seq, operation, timestamp }) => ({ seq, operation, timestamp })),
      ...(count > entries.length ? { more: count - entries.length } : {}),
      remedy,
    });
  };
  return {
    grade,
    earn(points, evidence) {
      grade.score += points;
      if (evidence) grade.evidence.push(evidence);
    },
    miss,
    deduct(rule, points, ...rest) {
      const taken = Math.min(points, grade.score);
      grade.score -= taken;
      if (taken > 0) miss(rule, taken, ...rest);
    },
    flag(text) {
      flags.push(text);
      return text;
    },
  };
}
