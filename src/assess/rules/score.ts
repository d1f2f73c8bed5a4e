import { getGradePercent, toLetter } from '#grade/rules/grade.ts';
import { mean } from '#lib/statistics.ts';
import { type AssessedDimension, type Assessment, assessedDimensions, type ExecutionFacts, rubricVersion } from '../model/assessment.ts';
import { scoreCompliance } from './compliance.ts';
import { scoreEfficiency } from './efficiency.ts';
import type { Reference } from './reference.ts';

/** The score of one dimension; null without data. */
export interface DimensionPoints {
  score: number | null;
  evidence: string[];
  flags: string[];
}

export interface ScoreInputs {
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
  const dimensions = {
    correctness: toDimension(points.correctness),
    completeness: toDimension(points.completeness),
    quality: toDimension(points.quality),
    efficiency: toDimension(points.efficiency),
    compliance: toDimension(points.compliance),
  };
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

const toDimension = ({ score: points, evidence }: DimensionPoints): Assessment['dimensions']['quality'] => ({
  score: points === null ? null : roundTo2(points),
  max: points === null ? 0 : 20,
  evidence,
});

const maxListed = 20;
export const limitList = (all: string[]): string[] =>
  all.length > maxListed ? [...all.slice(0, maxListed), `and ${all.length - maxListed} more`] : all;

/** The share of passed checks of the execution and output gates. A failed execution gets 0, a partial one at most half. */
function scoreCorrectness({ status, exitCode, exitClass, checks }: ExecutionFacts): DimensionPoints {
  const counted = checks.filter(({ gate }) => gate === 'execution' || gate === 'output');
  const failed = limitList(counted.filter(({ passed }) => !passed).map(({ name, message }) => `${name}: ${message}`));
  const ended = `ended as ${status} with ${exitCode} (${exitClass})`;
  if (status !== 'success' && status !== 'partial') return { score: 0, evidence: [ended, ...failed], flags: [ended, ...failed] };
  if (counted.length === 0) return { score: null, evidence: ['the execution and output gates made no checks'], flags: [] };
  const passed = counted.filter((check) => check.passed).length;
  const summary = `${passed} of ${counted.length} checks of the execution and output gates passed`;
  if (status === 'success') return { score: (20 * passed) / counted.length, evidence: [summary, ...failed], flags: failed };
  return { score: Math.min(10, (20 * passed) / counted.length), evidence: [summary, ended, ...failed], flags: [ended, ...failed] };
}

/** The mean completeness of the required outputs. If nothing ran, existing files do not count. */
function scoreCompleteness({ outputs, attempts }: ExecutionFacts): DimensionPoints {
  if (outputs === null) return { score: null, evidence: ['the trace does not list the required outputs'], flags: [] };
  if (outputs.length === 0) return { score: null, evidence: ['no outputs are required'], flags: [] };
  const shares = outputs.map(({ path, completeness: share }) => ({ path, share: attempts === 0 ? 0 : share }));
  return {
    score: 20 * mean(shares.map(({ share }) => share)),
    evidence: limitList(shares.map(({ path, share }) => `${path}: ${roundTo2(share)}`)),
    flags: limitList(shares.filter(({ share }) => share === 0).map(({ path }) => `${path} is missing or has no content`)),
  };
}

function scoreQuality({ judge }: ExecutionFacts, human: number[]): DimensionPoints {
  const [who, scores] = human.length > 0 ? ['reviewers', human] : ['the judge', judge];
  if (scores.length === 0) return { score: null, evidence: ['not reviewed'], flags: [] };
  const average = mean(scores);
  const isLow = average < 0.5;
  const summary = `${who} gave ${roundTo2(average)}${scores.length > 1 ? `, the mean of ${scores.length}` : ''}`;
  return { score: 20 * average, evidence: [summary], flags: isLow ? [summary] : [] };
}
