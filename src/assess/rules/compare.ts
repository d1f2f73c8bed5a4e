import type { ExecutionFacts } from '../model/assessment.ts';
import { bootstrap } from './bootstrap.ts';
import { type Interval, newcombe } from './intervals.ts';

export const verdicts = ['improved', 'regressed', 'inconclusive', 'insufficient'] as const;
export type CompareVerdict = (typeof verdicts)[number];

/** An execution as it is compared. */
export interface Scored {
  facts: Pick<ExecutionFacts, 'runId' | 'phase' | 'skill' | 'status' | 'inputs'>;
  percent: number;
}

interface Side {
  runs: number;
  executions: number;
  passed: number;
}

export interface SkillComparison {
  skill: string;
  verdict: CompareVerdict;
  baseline: Side;
  candidate: Side;
  /** Of the candidate less that of the baseline, from -1 to 1. */
  passRate?: Interval & { difference: number };
  /** In percent points, over pairs of executions. */
  score?: Interval & { difference: number; pairs: number };
}

export interface Comparison {
  verdict: CompareVerdict;
  skills: SkillComparison[];
}

const leastRuns = 5;

/** Skill by skill, whether the candidate does better than the baseline. Only a difference that chance hardly explains counts: an interval
 *  on one side of nothing. Where the two measures contradict each other, nothing is said. */
export function compare(baseline: Scored[], candidate: Scored[]): Comparison {
  const [before, after] = [bySkill(baseline), bySkill(candidate)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const skills = names.map((skill) => compareSkill(skill, before.get(skill) ?? [], after.get(skill) ?? []));
  const found = new Set(skills.map(({ verdict }) => verdict));
  // One skill that got worse is not made good by another that got better.
  const order: CompareVerdict[] = ['regressed', 'improved', 'inconclusive'];
  return { verdict: order.find((verdict) => found.has(verdict)) ?? 'insufficient', skills };
}

function compareSkill(skill: string, before: Scored[], after: Scored[]): SkillComparison {
  const [baseline, candidate] = [sideOf(before), sideOf(after)];
  if (baseline.runs < leastRuns || candidate.runs < leastRuns) return { skill, verdict: 'insufficient', baseline, candidate };
  const rates = newcombe({ passed: baseline.passed, all: baseline.executions }, { passed: candidate.passed, all: candidate.executions });
  const pairs = pairsOf(before, after);
  const { mean, low, high } = bootstrap(pairs.map(([one, other]) => other.percent - one.percent));
  const passRate = {
    difference: exact(candidate.passed / candidate.executions - baseline.passed / baseline.executions),
    ...{ low: exact(rates.low), high: exact(rates.high) },
  };
  const score = { difference: exact(mean), low: exact(low), high: exact(high), pairs: pairs.length };
  return { skill, verdict: verdictOf([passRate, score]), baseline, candidate, passRate, score };
}

function verdictOf(intervals: Interval[]): CompareVerdict {
  const isUp = intervals.some(({ low }) => low > 0);
  const isDown = intervals.some(({ high }) => high < 0);
  return isUp === isDown ? 'inconclusive' : isUp ? 'improved' : 'regressed';
}

/** To four places, so that the last bit of a machine's arithmetic is nobody's verdict. */
const exact = (value: number): number => Math.round(value * 10_000) / 10_000 || 0;

function bySkill(all: Scored[]): Map<string, Scored[]> {
  const found = new Map<string, Scored[]>();
  for (const one of all) {
    const { skill } = one.facts;
    const same = found.get(skill);
    if (same) same.push(one);
    else found.set(skill, [one]);
  }
  return found;
}

const sideOf = (all: Scored[]): Side => ({
  runs: new Set(all.map(({ facts }) => facts.runId)).size,
  executions: all.length,
  passed: all.filter(({ facts }) => facts.status === 'success').length,
});

/** Executions of the same phase on the same inputs belong together, in their order; the rest is paired in its order, and what is left
 *  over is left out. */
function pairsOf(before: Scored[], after: Scored[]): [Scored, Scored][] {
  const waiting = new Map<string, Scored[]>();
  for (const one of before) if (one.facts.inputs !== null) push(waiting, keyOf(one), one);
  const pairs: [Scored, Scored][] = [];
  const rest: Scored[] = [];
  const taken = new Set<Scored>();
  for (const other of after) {
    const one = other.facts.inputs === null ? undefined : waiting.get(keyOf(other))?.shift();
    if (one) {
      pairs.push([one, other]);
      taken.add(one);
    } else rest.push(other);
  }
  const others = before.filter((one) => !taken.has(one));
  return [...pairs, ...rest.slice(0, others.length).map((other, i): [Scored, Scored] => [others[i]!, other])];
}

const keyOf = ({ facts }: Scored): string => `${facts.phase}\n${facts.inputs}`;

function push(all: Map<string, Scored[]>, key: string, one: Scored): void {
  const known = all.get(key);
  if (known) known.push(one);
  else all.set(key, [one]);
}
