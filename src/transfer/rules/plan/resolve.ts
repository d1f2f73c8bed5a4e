import { addToList } from '#lib/collections.ts';
import { type PlanIssue, type PlanIssueKind, type PlanOutcome, type PlanSummary, planIssueKinds } from '../../model/plan.ts';
import { cutDepends, type DependsEdge } from './cut-depends.ts';
import { toPlanKey } from './entries.ts';
import { compareCreation, resolveNumbers } from './resolve-numbers.ts';
import { type ResolvedPlace, resolvePlaces } from './resolve-places.ts';
import { compareText, getStampReplica } from './stamp.ts';

interface PlanResolution {
  /** One per record, deleted ones included, by `toPlanKey`. */
  outcomes: Map<string, PlanOutcome>;
  issues: PlanIssue[];
}

/** Decides all that depends on several records: numbers, containment, dependencies, relations, aliases and done tasks that contain open
 *  ones. The result depends on the set of records only, not on their order, and the rules for tasks hold in it. */
export function resolvePlan(summaries: Iterable<PlanSummary>): PlanResolution {
  const records = [...summaries].sort(compareCreation);
  const outcomes = new Map<string, PlanOutcome>();
  const tasks = new Map<string, PlanSummary>();
  const numbers = resolveNumbers(records);
  const context: Resolving = {
    tasks,
    outcomes: new Map(),
    issues: [],
    formatId: (uid) => numbers.get(toPlanKey({ kind: 'task', uid }))?.id ?? uid,
  };
  for (const record of records) {
    const key = toPlanKey(record);
    const number = numbers.get(key);
    const outcome: PlanOutcome = number ?? {};
    outcomes.set(key, outcome);
    if (record.kind === 'task') context.outcomes.set(record.uid, outcome);
    if (record.kind === 'task' && !record.isDeleted) tasks.set(record.uid, record);
    if (number?.renumberedFrom && !record.isDeleted) context.issues.push(createRenumberIssue(record, outcome));
  }
  const parentOf = new Map<string, string>();
  for (const [uid, place] of resolvePlaces(tasks)) {
    applyPlace(context, uid, place);
    if (place.parent !== undefined) parentOf.set(uid, place.parent);
  }
  resolveDepends(context, parentOf);
  resolveRelations(context, parentOf);
  resolveAliases(context);
  reopenParents(context, parentOf);
  return { outcomes, issues: sortIssues(context.issues) };
}

interface Resolving {
  /** Tasks that are not deleted, by uid. */
  tasks: Map<string, PlanSummary>;
  /** Outcomes of tasks, by uid. */
  outcomes: Map<string, PlanOutcome>;
  issues: PlanIssue[];
  formatId(uid: string): string;
}

export function sortIssues(issues: PlanIssue[]): PlanIssue[] {
  const toRank = ({ kind }: PlanIssue): number => planIssueKinds.indexOf(kind);
  return issues.sort((a, b) => toRank(a) - toRank(b) || compareText(a.uids.join(), b.uids.join()) || compareText(a.message, b.message));
}

/** Reports a resolution about tasks. */
function report({ issues }: Resolving, kind: PlanIssueKind, uids: string[], message: string): void {
  issues.push({ kind, recordKind: 'task', uids, message });
}

/** Reports a record that got another number. Of a clone its own records are not called by its replica id. */
export function createRenumberIssue(
  { kind, uid, created }: Pick<PlanSummary, 'kind' | 'uid' | 'created'>,
  { id, renumberedFrom: from }: PlanOutcome,
  { title, ownReplica }: { title?: string | undefined; ownReplica?: string } = {},
): PlanIssue {
  const replica = getStampReplica(created.stamp);
  const clone = replica === ownReplica ? 'this clone' : `replica ${replica}`;
  const message = `${from} of ${clone} is now ${id}${title === undefined ? '' : ` (${title})`}; ${from} belongs to an older record`;
  return { kind: 'renumbered', recordKind: kind, uids: [uid], message };
}

function applyPlace(context: Resolving, uid: string, { type, parent, problem }: ResolvedPlace): void {
  const { tasks, outcomes, formatId } = context;
  const outcome = outcomes.get(uid)!;
  outcome.type = type;
  if (parent !== undefined) outcome.parent = parent;
  if (!problem) return;
  const { parent: recorded, type: recordedType } = tasks.get(uid)!;
  const id = formatId(uid);
  const messages = {
    'missing-parent': `${id} is at the top level: its parent ${formatId(recorded ?? '')} is missing or deleted`,
    cycle: `${id} is at the top level: ${formatId(recorded ?? '')} is inside it`,
    tier: parent
      ? `${id} is a ${type}, not a ${recordedType}: that is the tier inside ${formatId(parent)}`
      : `${id} is a ${type} at the top level: a ${recordedType} cannot be inside ${recorded ? formatId(recorded) : 'no task'}`,
  };
  report(context, problem, recorded === undefined ? [uid] : [uid, recorded], messages[problem]);
}

function resolveDepends(context: Resolving, parentOf: Map<string, string>): void {
  const { tasks, outcomes, formatId } = context;
  const edges: DependsEdge[] = [];
  const without = new Map<string, string[]>();
  for (const { uid, depends = [] } of tasks.values())
    for (const { on, stamp } of depends) {
      if (tasks.has(on)) edges.push({ from: uid, to: on, stamp });
      else {
        addToList(without, uid, on);
        report(context, 'missing-target', [uid, on], `${formatId(uid)} depends on ${formatId(on)}, which is missing or deleted`);
      }
    }
  for (const { from, to } of cutDepends(edges, parentOf)) {
    addToList(without, from, to);
    report(context, 'cycle', [from, to], `${formatId(from)} does not depend on ${formatId(to)}: that would be a cycle`);
  }
  for (const [uid, list] of without) outcomes.get(uid)!.withoutDepends = list.sort(compareText);
}

/** Parent and child must not be related otherwise. */
function resolveRelations(context: Resolving, parentOf: Map<string, string>): void {
  const { tasks, outcomes, formatId } = context;
  for (const { uid, relations = [] } of tasks.values()) {
    const without = relations.filter(({ to }) => {
      const isMissing = !tasks.has(to);
      const isFamily = to === uid || parentOf.get(uid) === to || parentOf.get(to) === uid;
      const names = `${formatId(uid)} and ${formatId(to)}`;
      if (isMissing) report(context, 'missing-target', [uid, to], `${names} are not related: ${formatId(to)} is missing or deleted`);
      else if (isFamily) report(context, 'relation-in-family', [uid, to], `${names} are not related: one contains the other`);
      return isMissing || isFamily;
    });
    if (without.length > 0) outcomes.get(uid)!.withoutRelations = without.map(({ key }) => key).sort(compareText);
  }
}

/** An alias belongs to the task that was created first. `tasks` are in the order of creation. */
function resolveAliases(context: Resolving): void {
  const { tasks, outcomes, formatId } = context;
  const owners = new Map<string, string>();
  for (const { uid, aliases = [] } of tasks.values()) {
    const without = aliases.filter((key) => owners.has(key));
    for (const key of aliases) if (!owners.has(key)) owners.set(key, uid);
    for (const key of without) {
      const owner = owners.get(key)!;
      report(context, 'duplicate-alias', [uid, owner], `${key} is ${formatId(owner)}, not ${formatId(uid)}, which has it too`);
    }
    if (without.length > 0) outcomes.get(uid)!.withoutAliases = without.sort(compareText);
  }
}

/** A done task that contains an open one is open again: closing the child would lose work. */
function reopenParents(context: Resolving, parentOf: Map<string, string>): void {
  const { tasks, outcomes, formatId } = context;
  for (const { uid, isDone } of tasks.values()) {
    if (isDone) continue;
    for (let up = parentOf.get(uid); up !== undefined; up = parentOf.get(up)) {
      const outcome = outcomes.get(up)!;
      if (!tasks.get(up)!.isDone || outcome.isReopened) break;
      outcome.isReopened = true;
      report(context, 'reopened', [up], `${formatId(up)} is pending again: it contains tasks that are not done`);
    }
  }
}
