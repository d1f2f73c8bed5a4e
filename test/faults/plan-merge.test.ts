import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findProblems } from '../../src/tasks/rules/integrity.ts';
import type { PlanRecord, PlanSummary } from '../../src/transfer/model/plan.ts';
import { diffRecord } from '../../src/transfer/rules/plan/diff.ts';
import { formatPlanFile } from '../../src/transfer/rules/plan/format.ts';
import { mergePlans, mergeRecords } from '../../src/transfer/rules/plan/merge.ts';
import { parsePlanFile } from '../../src/transfer/rules/plan/parse.ts';
import { projectPlan, projectRecord } from '../../src/transfer/rules/plan/project.ts';
import { resolvePlan } from '../../src/transfer/rules/plan/resolve.ts';
import { isDeletedRecord, summarizeRecord } from '../../src/transfer/rules/plan/summarize.ts';
import {
  actionCount,
  createHistory,
  type PlanHistory,
  type PlanStep,
  readPlace,
  readState,
  receiveRecords,
  runStep,
  saveChanges,
} from '../plan-histories.ts';

type Plan = Map<string, PlanRecord>;

// Without bias: small numbers would choose the same few tasks and actions.
const steps = fc.noBias(
  fc.array(fc.tuple(fc.nat(4), fc.nat(actionCount - 1), fc.nat(30), fc.nat(30), fc.nat(100_000)), { minLength: 10, maxLength: 60 }),
);
const count = fc.integer({ min: 2, max: 5 });
function runHistory(replicas: number, list: PlanStep[]): PlanHistory {
  const result = createHistory(replicas);
  for (const step of list) runStep(result, step);
  for (const replica of result.replicas) saveChanges(result, replica);
  return result;
}
/** The short form takes about five seconds. */
const numRuns = process.env.CLEO_FAULTS === 'full' ? 5000 : 300;

test('replicas that merged in any order have the same records and the same plan, which breaks no rule and loses no text', {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(count, steps, fc.infiniteStream(fc.nat(1000)), (replicas, list, random) => {
      const result = runHistory(replicas, list);
      const plans = result.replicas.map(({ records }) => records);
      const results = Array.from({ length: 6 }, () => mergeInRandomOrder(plans, () => random.next().value as number));
      const [first] = results;
      const [digestOfFirst, ...others] = results.map(digest);
      for (const other of others) expect(other).toBe(digestOfFirst);
      checkRules(first!);
      checkTexts(result, first!);
    }),
    { numRuns },
  );
});

/** Merges plans pairwise, in any order and with any grouping; some twice. */
function mergeInRandomOrder(plans: Plan[], next: () => number): Plan {
  const rest = [...plans, plans[next() % plans.length]!];
  while (rest.length > 1) {
    const [one] = rest.splice(next() % rest.length, 1);
    const at = next() % rest.length;
    rest[at] = mergePlans(one!, rest[at]!);
  }
  return rest[0]!;
}

/** The files and the projection as texts. */
function digest(plan: Plan): string {
  const { states, outcomes, issues } = projectPlan(plan.values());
  const files = [...plan.values()].map(formatPlanFile).sort();
  return JSON.stringify([files, [...states], [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1)), issues]);
}

function checkRules(plan: Plan): void {
  const tasks = [...projectPlan(plan.values()).states.values()];
  const idOf = new Map(tasks.map(({ uid, id }) => [uid, id!]));
  expect(new Set(idOf.values()).size).toBe(tasks.length);
  const toIds = (set: 'depends' | 'relations') =>
    tasks.flatMap(({ id, sets }) =>
      (sets[set] ?? []).map(({ key, value }) => ({ from: id!, to: idOf.get((value as { to?: string }).to ?? key) ?? 'missing' })),
    );
  const problems = findProblems({
    tasks: tasks.map((task) => {
      const { type, parent } = readPlace(task);
      const { status, archivedAt } = readState(task);
      return {
        id: task.id!,
        type,
        status,
        ...(parent ? { parentId: idOf.get(parent) ?? 'missing' } : {}),
        ...(archivedAt ? { archivedAt } : {}),
      };
    }),
    depends: toIds('depends'),
    relations: toIds('relations'),
    claims: [],
    blockedWithoutReason: tasks.filter((task) => readState(task).status === 'blocked' && !readState(task).blockedBy).map(({ id }) => id!),
    staleRanks: [],
    maxSiblings: 0,
    ttlMinutes: 60,
    now: '2026-11-16T00:00:00.000Z',
  });
  expect(problems).toEqual([]);
  for (const task of tasks) expect(readState(task).completedAt !== undefined).toBe(readState(task).status === 'done');
}

function checkTexts({ texts, replaced }: PlanHistory, plan: Plan): void {
  const { states } = projectPlan(plan.values());
  const all = new Map([...states.values()].map((state) => [state.uid, JSON.stringify(state)]));
  for (const [text, uid] of texts) {
    const record = plan.get(uid);
    // A task that was deleted before the first sync never had a record.
    if (!record || replaced.has(text) || isDeletedRecord(record)) continue;
    // The number of a text ends with a quote.
    const state = all.get(uid)!;
    if (state.includes(`${text}"`) || formatPlanFile(record).includes(`"reason": "${text}"`)) continue;
    expect.fail(`${text} of ${uid} is lost: ${state}`);
  }
}

test('stores that exchange all records become equal, and a sync without changes writes nothing', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(count, steps, (replicas, list) => {
      const result = runHistory(replicas, list);
      const all = result.replicas.map(({ records }) => records).reduce(mergePlans);
      for (const replica of result.replicas) receiveRecords(replica, all);
      const [first] = result.replicas;
      for (const replica of result.replicas) {
        expect([...replica.store]).toEqual([...first!.store]);
        for (const [uid, now] of replica.store) {
          const base = replica.records.get(uid)!;
          const edit = { base, before: replica.projected.get(uid)!, now, project: 'p', replica: replica.id, nowMs: result.nowMs };
          expect(diffRecord(edit)).toBe(base);
        }
      }
    }),
    { numRuns: numRuns / 10 },
  );
});

test('summaries of a store and single records give the same projection as the whole plan', () => {
  fc.assert(
    fc.property(count, steps, (replicas, list) => {
      const result = runHistory(replicas, list);
      const plan = result.replicas.map(({ records }) => records).reduce(mergePlans);
      const summaries = [...plan.values()].map((record) => JSON.parse(JSON.stringify(summarizeRecord(record))) as PlanSummary);
      const { outcomes } = resolvePlan(summaries.reverse());
      const whole = projectPlan(plan.values());
      expect([...outcomes].sort()).toEqual([...whole.outcomes].sort());
      for (const [key, state] of whole.states) expect(projectRecord(plan.get(state.uid)!, outcomes.get(key)!).state).toEqual(state);
    }),
    { numRuns: numRuns / 20 },
  );
});

test('a file reads back as the same record, and its text is canonical', () => {
  fc.assert(
    fc.property(count, steps, (replicas, list) => {
      const result = runHistory(replicas, list);
      for (const record of result.replicas
        .map(({ records }) => records)
        .reduce(mergePlans)
        .values()) {
        const text = formatPlanFile(record);
        expect(parsePlanFile(text)).toEqual({ record, isCanonical: true });
        expect(mergeRecords(record, JSON.parse(JSON.stringify(record)) as PlanRecord)).toEqual(record);
      }
    }),
    { numRuns: numRuns / 20 },
  );
});
