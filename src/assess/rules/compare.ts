import { groupBy } from '#lib/collections.ts';
import type { ComparedSide, CompareVerdict, ExecutionFacts, SkillComparison } from '../model/assessment.ts';
import { bootstrapMean, computeNewcombeInterval, type Interval } from './intervals.ts';

export interface ScoredExecution {
  facts: Pick<ExecutionFacts, 'runId' | 'phase' | 'skill' | 'status' | 'inputs'>;
  percent: number;
}

const minRuns = 5;

/** Compares each skill of the candidate with the baseline. A difference counts only if its 95 % interval excludes 0. If the pass rate and
 *  the score contradict each other, the result is inconclusive. */
export function compareExecutions(
  baseline: ScoredExecution[],
  candidate: ScoredExecution[],
): { verdict: CompareVerdict; skills: SkillComparison[] } {
  const [before, after] = [groupBy(baseline, getSkill), groupBy(candidate, getSkill)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const skills = names.map((skill) => compareSkill(skill, before.get(skill) ?? [], after.get(skill) ?? []));
  const found = new Set(skills.map(({ verdict }) => verdict));
  // One regressed skill decides, even if others improved.
  const order: CompareVerdict[] = ['regressed', 'improved', 'inconclusive'];
  return { verdict: order.find((verdict) => found.has(verdict)) ?? 'insufficient', skills };
}

function compareSkill(skill: string, before: ScoredExecution[], after: ScoredExecution[]): SkillComparison {
  const [baseline, candidate] = [summarizeSide(before), summarizeSide(after)];
  if (baseline.runs < minRuns || candidate.runs < minRuns) return { skill, verdict: 'insufficient', baseline, candidate };
  const rates = computeNewcombeInterval(
    { passed: baseline.passed, all: baseline.executions },
    { passed: candidate.passed, all: candidate.executions },
  );
  const pairs = pairExecutions(before, after);
  const { mean, low, high } = bootstrapMean(pairs.map(([one, other]) => other.percent - one.percent));
  const passRate = {
    difference: roundTo4(candidate.passed / candidate.executions - baseline.passed / baseline.executions),
    low: roundTo4(rates.low),
    high: roundTo4(rates.high),
  };
  const score = { difference: roundTo4(mean), low: roundTo4(low), high: roundTo4(high), pairs: pairs.length };
  return { skill, verdict: decideVerdict([passRate, score]), baseline, candidate, passRate, score };
}

function decideVerdict(intervals: Interval[]): CompareVerdict {
  const isUp = intervals.some(({ low }) => low > 0);
  const isDown = intervals.some(({ high }) => high < 0);
  return isUp === isDown ? 'inconclusive' : isUp ? 'improved' : 'regressed';
}

/** Four decimals, so that rounding errors of a machine do not change a verdict. */
const roundTo4 = (value: number): number => Math.round(value * 10_000) / 10_000 || 0;

const summarizeSide = (all: ScoredExecution[]): ComparedSide => ({
  runs: new Set(all.map(({ facts }) => facts.runId)).size,
  executions: all.length,
  passed: all.filter(({ facts }) => facts.status === 'success').length,
});

/** Pairs executions of the same phase with the same inputs, in order. The others are paired in order, and those without a partner are
 *  dropped. */
function pairExecutions(before: ScoredExecution[], after: ScoredExecution[]): [ScoredExecution, ScoredExecution][] {
  const candidates = groupBy(
    before.filter(({ facts }) => facts.inputs !== null),
    getPairKey,
  );
  const pairs: [ScoredExecution, ScoredExecution][] = [];
  const rest: ScoredExecution[] = [];
  const paired = new Set<ScoredExecution>();
  for (const other of after) {
    const one = other.facts.inputs === null ? undefined : candidates.get(getPairKey(other))?.shift();
    if (one) {
      pairs.push([one, other]);
      paired.add(one);
    } else rest.push(other);
  }
  const others = before.filter((one) => !paired.has(one));
  return [...pairs, ...rest.slice(0, others.length).map((other, i): [ScoredExecution, ScoredExecution] => [others[i]!, other])];
}

const getSkill = ({ facts }: ScoredExecution): string => facts.skill;
const getPairKey = ({ facts }: ScoredExecution): string => `${facts.phase}\n${facts.inputs}`;
