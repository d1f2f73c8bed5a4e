import { getGradePercent, toLetter } from '#grade/rules/grade.ts';
import { mean } from '#lib/statistics.ts';
import { type AssessedDimension, type Assessment, assessedDimensions, type ExecutionFacts, rubricVersion } from '../model/assessment.ts';
import type { Reference } from './reference.ts';

/** The score of one dimension; null without data. */
interface DimensionPoints {
  score: number | null;
  evidence: string[];
  flags: string[];
}

interface ScoreInputs {
  reference: Reference;
  /** Scores of reviewers, from 0 to 1. */
  human: number[];
  timestamp: string;
  /** Problems of the trace itself. */
  flags?: string[];
}

/** Scores an execution in five dimensions of 20 points. Dimensions without data do not count. The same facts give the same bytes. */
export function scoreExecution(facts: ExecutionFacts, { reference, human, timestamp, flags = [] }: ScoreInputs): Assessment {
  const points: Record<AssessedDimension, DimensionPoints> = {
    correctness: scoreCorrectness(facts),
    completeness: scoreCompleteness(facts),
    quality: scoreQuality(facts, human),
    efficiency: scoreEfficiency(facts, reference),
    compliance: scoreCompliance(facts),
  };
  const dimensions = Object.fromEntries(assessedDimensions.map((name) => [name, toDimension(points[name])])) as Assessment['dimensions'];
  // The sum of the rounded values, so that the displayed points add up.
  const all = Object.values(dimensions);
  const totalScore = roundTo2(all.reduce((sum, each) => sum + (each.score ?? 0), 0));
  const maxScore = all.reduce((sum, { max }) => sum + max, 0);
  const percent = getGradePercent({ totalScore, maxScore } as { totalScore: number; maxScore: 100 });
  return {
    run_id: facts.runId,
    execution_id: facts.executionId,
    phase: facts.phase,
    skill: facts.skill,
    skill_version: facts.version,
    status: facts.status,
    exit_code: facts.exitCode,
    completed_at: facts.endedAt,
    totalScore,
    maxScore,
    percent,
    grade: toLetter(percent),
    dimensions,
    flags: [...assessedDimensions.flatMap((name) => points[name].flags), ...flags],
    evaluator: human.length > 0 ? 'human' : facts.judge.length > 0 ? 'judge' : 'auto',
    rubric_version: rubricVersion,
    timestamp,
  };
}

export const roundTo2 = (value: number): number => Math.round(value * 100) / 100;

const createUnscored = (reason: string): DimensionPoints => ({ score: null, evidence: [reason], flags: [] });

const toDimension = ({ score: points, evidence }: DimensionPoints): Assessment['dimensions']['quality'] => ({
  score: points === null ? null : roundTo2(points),
  max: points === null ? 0 : 20,
  evidence,
});

const maxListed = 20;
const limitList = (all: string[]): string[] =>
  all.length > maxListed ? [...all.slice(0, maxListed), `and ${all.length - maxListed} more`] : all;

/** The share of passed checks of the execution and output gates. A failed execution gets 0, a partial one at most half. */
function scoreCorrectness({ status, exitCode, exitClass, checks }: ExecutionFacts): DimensionPoints {
  const counted = checks.filter(({ gate }) => gate === 'execution' || gate === 'output');
  const failed = limitList(counted.filter(({ passed }) => !passed).map(({ name, message }) => `${name}: ${message}`));
  const ended = `ended as ${status} with ${exitCode} (${exitClass})`;
  if (status !== 'success' && status !== 'partial') return { score: 0, evidence: [ended, ...failed], flags: [ended, ...failed] };
  if (counted.length === 0) return createUnscored('the execution and output gates made no checks');
  const passed = counted.filter((check) => check.passed).length;
  const score = (20 * passed) / counted.length;
  const summary = `${passed} of ${counted.length} checks of the execution and output gates passed`;
  if (status === 'success') return { score, evidence: [summary, ...failed], flags: failed };
  return { score: Math.min(10, score), evidence: [summary, ended, ...failed], flags: [ended, ...failed] };
}

/** The mean completeness of the required outputs. If nothing ran, existing files do not count. */
function scoreCompleteness({ outputs, attempts }: ExecutionFacts): DimensionPoints {
  if (outputs === null) return createUnscored('the trace does not list the required outputs');
  if (outputs.length === 0) return createUnscored('no outputs are required');
  const shares = outputs.map(({ path, completeness: share }) => ({ path, share: attempts === 0 ? 0 : share }));
  return {
    score: 20 * mean(shares.map(({ share }) => share)),
    evidence: limitList(shares.map(({ path, share }) => `${path}: ${roundTo2(share)}`)),
    flags: limitList(shares.filter(({ share }) => share === 0).map(({ path }) => `${path} is missing or has no content`)),
  };
}

function scoreQuality({ judge }: ExecutionFacts, human: number[]): DimensionPoints {
  const [who, scores] = human.length > 0 ? ['reviewers', human] : ['the judge', judge];
  if (scores.length === 0) return createUnscored('not reviewed');
  const average = mean(scores);
  const summary = `${who} gave ${roundTo2(average)}${scores.length > 1 ? `, the mean of ${scores.length}` : ''}`;
  return { score: 20 * average, evidence: [summary], flags: average < 0.5 ? [summary] : [] };
}

/** Full points up to the usual time and tokens, none from three times that on. The worse of the two counts, and each retry costs 4
 *  points. */
function scoreEfficiency({ durationMs, tokens, retries, attempts }: ExecutionFacts, reference: Reference): DimensionPoints {
  if (attempts === 0) return createUnscored('nothing ran');
  const spent = [
    ...(reference.durationMs ? [{ unit: 'ms', used: durationMs, ...reference.durationMs }] : []),
    ...(reference.tokens && tokens !== null ? [{ unit: 'tokens', used: tokens, ...reference.tokens }] : []),
  ];
  const retryText = retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : [];
  if (spent.length === 0) return { score: null, evidence: ['no reference to compare with', ...retryText], flags: retryText };
  const share = Math.min(...spent.map(({ used, value }) => rateUsage(used, value)));
  return {
    score: Math.max(0, 20 * share - 4 * retries),
    evidence: [
      ...spent.map(({ unit, used, value, source }) => `${roundTo2(used)} ${unit} of ${roundTo2(value)} (${source})`),
      ...retryText,
    ],
    flags: [
      ...spent
        .filter(({ used, value }) => used >= 2 * value)
        .map(({ unit, used, value }) => `took ${roundTo2(used)} ${unit}; ${roundTo2(value)} is usual`),
      ...retryText,
    ],
  };
}

function rateUsage(used: number, usual: number): number {
  // At least 1 ms, so that a skill that usually takes 0 ms has a usable reference.
  const reference = Math.max(1, usual);
  return Math.max(0, 1 - Math.max(0, used - reference) / (2 * reference));
}

/** Starts at 20 points and subtracts the cost of each violation of the process, down to 0. */
function scoreCompliance({ forced, rejections, warnings }: ExecutionFacts): DimensionPoints {
  const listWarnings = (code: string): string[] =>
    warnings.filter((warning) => warning.code === code).map(({ message }) => `${code}: ${message}`);
  const writes = listWarnings('undeclared_write');
  const codes = listWarnings('undeclared_exit_code');
  const claims = listWarnings('status_mismatch');
  const losses: [points: number, reasons: string[]][] = [
    [5 * forced.length, forced.map((gate) => `${gate} gate was forced`)],
    [5 * rejections.length, rejections.map(({ from, to, reason }) => `handoff from ${from} to ${to} was rejected: ${reason}`)],
    [Math.min(9, 3 * writes.length), limitList(writes)],
    [codes.length > 0 ? 2 : 0, codes],
    [claims.length > 0 ? 2 : 0, claims],
  ];
  const lost = losses.filter(([points]) => points > 0);
  return {
    score: Math.max(0, 20 - lost.reduce((sum, [points]) => sum + points, 0)),
    evidence: lost.length === 0 ? ['no violations'] : lost.map(([points, [reason = '', ...more]]) => formatLoss(points, reason, more)),
    flags: lost.flatMap(([, reasons]) => reasons),
  };
}

const formatLoss = (points: number, reason: string, more: string[]): string =>
  `-${points} ${reason}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
