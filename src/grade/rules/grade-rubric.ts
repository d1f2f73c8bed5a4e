import type { DimensionName, Trace } from '../model/grade.ts';
import type { Concluded, Sight } from './grade.ts';

/** What points were lost by; `nudge` tells by it which losses one call can cause. */
export type Rule =
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

/** The call that would have kept the points. */
export interface Remedy {
  operation: string;
  params: Record<string, unknown>;
  /** Only this door earns them. */
  onlyMcp?: true;
}

export interface Loss {
  dimension: DimensionName;
  rule: Rule;
  points: number;
  reason: string;
  entries: Trace[];
  more?: number;
  remedy: Remedy;
}

export interface Judgement {
  score: number;
  evidence: string[];
  losses: Loss[];
}

type Judgements = Record<DimensionName, Judgement>;

/** The five dimensions in their order, each flag where it is earned: the whole rubric. */
export function judge(log: Concluded): { judgements: Judgements; flags: string[] } {
  const flags: string[] = [];
  if (log.entries === 0) flags.push('No audit entries found for session');
  const rate = (dimension: DimensionName, from: 0 | 20, rules: (log: Concluded, sheet: Sheet) => void): Judgement => {
    const sheet = sheetOf(dimension, log.entries === 0 ? 0 : from, flags);
    if (log.entries === 0)
      sheet.miss('log', 20, 'nothing of it was recorded', [], {
        operation: 'session.start',
        params: { scope: 'global', autoFocus: true, grade: true },
      });
    else rules(log, sheet);
    return sheet.judgement;
  };
  return {
    judgements: {
      sessionDiscipline: rate('sessionDiscipline', 0, sessionDiscipline),
      discoveryEfficiency: rate('discoveryEfficiency', 0, discoveryEfficiency),
      taskHygiene: rate('taskHygiene', 20, taskHygiene),
      errorProtocol: rate('errorProtocol', 20, errorProtocol),
      disclosureUse: rate('disclosureUse', 0, disclosureUse),
    },
    flags,
  };
}

function sessionDiscipline({ firstList, firstTask, last, ends }: Concluded, { earn, miss, flag }: Sheet): void {
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

function discoveryEfficiency({ finds, lists, shows, seen }: Concluded, { earn, miss, flag }: Sheet): void {
  const total = finds + lists;
  const find: Remedy = { operation: 'tasks.find', params: { query: '<words>' } };
  if (total === 0) {
    earn(10, 'No discovery calls needed');
    miss('find', 5, 'tasks.find never called (10 of 15 points without it)', [], find);
  } else if (finds / total >= 0.8) earn(15, `find:list ratio ${Math.round((100 * finds) / total)}% >= 80%`);
  else {
    const share = Math.round(15 * (finds / total));
    earn(share);
    miss('discovery', 15 - share, flag(`tasks.list used ${lists}x (prefer tasks.find for discovery)`), seen.lists, find, lists);
  }
  if (shows > 0) earn(5, `tasks.show used ${shows}x for detail`);
  else miss('show', 5, 'tasks.show never called', [], { operation: 'tasks.show', params: { taskId: '<id>' } });
}

function taskHygiene({ adds, undescribed, subtasks, unverified, seen }: Concluded, { earn, deduct, flag }: Sheet): void {
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

function errorProtocol({ recovered, unrecovered, titles, uniqueTitles, seen }: Concluded, { earn, deduct, flag }: Sheet): void {
  for (let i = 0; i < recovered; i++) earn(0, 'E_NOT_FOUND followed by recovery lookup');
  seen.unrecoveredOperations.forEach((operation, i) => {
    const error = seen.unrecovered[i];
    deduct(
      'lookup',
      5,
      flag(`E_NOT_FOUND on ${operation} not followed by tasks.find or tasks.exists`),
      error ? [error] : [],
      lookupOf(error),
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

const lookupOf = (error: Sight | undefined): Remedy =>
  error?.about === undefined
    ? { operation: 'tasks.find', params: { query: '<words>' } }
    : { operation: 'tasks.exists', params: { taskId: error.about } };

function disclosureUse({ helps, queries, otherReads, seen }: Concluded, { earn, miss, flag }: Sheet): void {
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
      { operation: 'tasks.find', params: { query: '<words>' }, onlyMcp: true },
      otherReads,
    );
}

interface Sheet {
  judgement: Judgement;
  earn(points: number, evidence?: string): void;
  /** Points that were there to be earned. */
  miss: Lose;
  /** Points taken away, as far as there are any left. */
  deduct: Lose;
  flag(text: string): string;
}
type Lose = (rule: Rule, points: number, reason: string, entries: Sight[], remedy: Remedy, count?: number) => void;

/** One dimension being rated. Score and losses add up to 20. */
function sheetOf(dimension: DimensionName, from: 0 | 20, flags: string[]): Sheet {
  const judgement: Judgement = { score: from, evidence: [], losses: [] };
  const miss: Lose = (rule, points, reason, entries, remedy, count = entries.length) => {
    judgement.losses.push({
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
    judgement,
    earn(points, evidence) {
      judgement.score += points;
      if (evidence) judgement.evidence.push(evidence);
    },
    miss,
    deduct(rule, points, ...rest) {
      const taken = Math.min(points, judgement.score);
      judgement.score -= taken;
      if (taken > 0) miss(rule, taken, ...rest);
    },
    flag(text) {
      flags.push(text);
      return text;
    },
  };
}
