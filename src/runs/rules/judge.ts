import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { JudgeVerdict } from '../model/judge.ts';
import { pickNumbers } from './skill-contract.ts';

/** Parses the output of a judge: one JSON value and nothing else. */
export function parseVerdict(stdout: string): JudgeVerdict | { problem: string } {
  const value = parseJson(stdout);
  if (value === undefined) return { problem: stdout.trim() === '' ? 'printed nothing' : 'did not print a single JSON value' };
  if (!isPlainObject(value)) return { problem: 'did not print an object' };
  const { verdict, score, reasons, criteria, model, usage } = value;
  if (verdict !== 'pass' && verdict !== 'fail' && verdict !== 'unsure') return { problem: 'verdict is not pass, fail or unsure' };
  if (!isShare(score)) return { problem: 'score is not a number from 0 to 1' };
  return {
    verdict,
    score,
    reasons: toTexts(reasons),
    model: typeof model === 'string' ? model : null,
    usage: pickNumbers(usage) ?? null,
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
const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []);

export interface VoteOutcome {
  outcome: 'pass' | 'fail' | 'review';
  score: number;
  reason: string;
}

/** Combines the votes of a judge. Unsure or differing votes are left to people; a pass with too low a score fails. */
export function combineVotes(votes: JudgeVerdict[], minScore: number): VoteOutcome {
  // Rounded, so that three votes of 0.7 have a mean of exactly 0.7.
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
