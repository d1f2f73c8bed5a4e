import type { Verdict } from '../model/judge.ts';
import { asNumbers } from './skill-claim.ts';

/** What a judge printed, if it is a verdict: one JSON value and nothing else. */
export function readVerdict(stdout: string): Verdict | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return { problem: stdout.trim() === '' ? 'printed nothing' : 'printed no single JSON value' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'printed no object' };
  const { verdict, score, reasons, criteria, model, usage } = value as Record<string, unknown>;
  if (verdict !== 'pass' && verdict !== 'fail' && verdict !== 'unsure') return { problem: 'gave no verdict of pass, fail or unsure' };
  if (!isShare(score)) return { problem: 'gave no score from 0 to 1' };
  return {
    ...{ verdict, score, reasons: textsOf(reasons), model: typeof model === 'string' ? model : null, usage: asNumbers(usage) ?? null },
    criteria: Array.isArray(criteria)
      ? criteria.flatMap((one: Record<string, unknown>) =>
          typeof one?.id === 'string' && isShare(one.score)
            ? [{ id: one.id, score: one.score, reason: typeof one.reason === 'string' ? one.reason : '' }]
            : [],
        )
      : [],
  };
}

const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []);

export interface Judgement {
  outcome: 'pass' | 'fail' | 'review';
  score: number;
  reason: string;
}

/** What the votes come to. Doubt and disagreement are for people; a pass that scores too low is none. */
export function judgementOf(votes: Verdict[], minScore: number): Judgement {
  // Three times 0.7 is a mean of 0.7, whatever binary fractions make of it.
  const score = Math.round((votes.reduce((sum, vote) => sum + vote.score, 0) / votes.length) * 1e6) / 1e6;
  const verdicts = new Set(votes.map(({ verdict }) => verdict));
  if (verdicts.size > 1) return { outcome: 'review', score, reason: 'votes_differ' };
  const [verdict] = verdicts;
  if (verdict === 'unsure') return { outcome: 'review', score, reason: 'judge_unsure' };
  if (verdict === 'fail') return { outcome: 'fail', score, reason: votes.flatMap(({ reasons }) => reasons)[0] ?? 'judge_failed_it' };
  return score >= minScore
    ? { outcome: 'pass', score, reason: 'judge_passed_it' }
    : { outcome: 'fail', score, reason: 'score_below_minimum' };
}
