import { letterOf, percentOf } from '#grade/rules/grade.ts';
import { type AssessedDimension, type Assessment, assessedDimensions, type ExecutionFacts, rubricVersion } from '../model/assessment.ts';
import { compliance } from './compliance.ts';
import { efficiency } from './efficiency.ts';
import type { Reference } from './reference.ts';

/** Points of one dimension; null where nothing is known. */
export interface Points {
  score: number | null;
  evidence: string[];
  flags: string[];
}

export interface ScoreAbout {
  reference: Reference;
  /** What people gave, from 0 to 1. */
  human: number[];
  timestamp: string;
  /** What is wrong with the trace itself. */
  flags?: string[];
}

/** Five dimensions of 20 points. What nothing is known of counts neither for nor against. The same facts give the same bytes. */
export function score(facts: ExecutionFacts, { reference, human, timestamp, flags = [] }: ScoreAbout): Assessment {
  const points: Record<AssessedDimension, Points> = {
    correctness: correctness(facts),
    completeness: completeness(facts),
    quality: quality(facts, human),
    efficiency: efficiency(facts, reference),
    compliance: compliance(facts),
  };
  const dimensions = {
    correctness: shown(points.correctness),
    completeness: shown(points.completeness),
    quality: shown(points.quality),
    efficiency: shown(points.efficiency),
    compliance: shown(points.compliance),
  };
  // Of what is shown, so that whoever adds it up comes to the same.
  const all = Object.values(dimensions);
  const totalScore = rounded(all.reduce((sum, each) => sum + (each.score ?? 0), 0));
  const maxScore = all.reduce((sum, { max }) => sum + max, 0);
  const percent = percentOf({ totalScore, maxScore } as { totalScore: number; maxScore: 100 });
  return {
    ...{ run_id: facts.runId, execution_id: facts.executionId, phase: facts.phase, skill: facts.skill, skill_version: facts.version },
    ...{ status: facts.status, exit_code: facts.exitCode, completed_at: facts.endedAt },
    ...{ totalScore, maxScore, percent, grade: letterOf(percent) },
    dimensions,
    flags: [...assessedDimensions.flatMap((name) => points[name].flags), ...flags],
    evaluator: human.length > 0 ? 'human' : facts.judge.length > 0 ? 'judge' : 'auto',
    rubric_version: rubricVersion,
    timestamp,
  };
}

export const rounded = (value: number): number => Math.round(value * 100) / 100;

const shown = ({ score: points, evidence }: Points): Assessment['dimensions']['quality'] => ({
  score: points === null ? null : rounded(points),
  max: points === null ? 0 : 20,
  evidence,
});

/** Of many things some are named, and the rest counted. */
const named = 20;
export const few = (all: string[]): string[] => (all.length > named ? [...all.slice(0, named), `and ${all.length - named} more`] : all);

/** The share of the checks of gates 2 and 3 that passed. What did not succeed is not correct, and what is half done at most half so. */
function correctness({ status, exitCode, exitClass, checks }: ExecutionFacts): Points {
  const made = checks.filter(({ gate }) => gate === 2 || gate === 3);
  const failed = few(made.filter(({ passed }) => !passed).map(({ name, message }) => `${name}: ${message}`));
  const ended = `ended as ${status} with ${exitCode} (${exitClass})`;
  if (status !== 'success' && status !== 'partial') return { score: 0, evidence: [ended, ...failed], flags: [ended, ...failed] };
  if (made.length === 0) return { score: null, evidence: ['no check of gates 2 and 3 was made'], flags: [] };
  const passed = made.filter((check) => check.passed).length;
  const counted = `${passed} of ${made.length} checks of gates 2 and 3 passed`;
  if (status === 'success') return { score: (20 * passed) / made.length, evidence: [counted, ...failed], flags: failed };
  return { score: Math.min(10, (20 * passed) / made.length), evidence: [counted, ended, ...failed], flags: [ended, ...failed] };
}

/** The mean over what had to be made. Where nothing ran, what lies there is not its work. */
function completeness({ outputs, attempts }: ExecutionFacts): Points {
  if (outputs === null) return { score: null, evidence: ['the trace does not say what had to be made'], flags: [] };
  if (outputs.length === 0) return { score: null, evidence: ['nothing had to be made'], flags: [] };
  const shares = outputs.map(({ path, completeness: share }) => ({ path, share: attempts === 0 ? 0 : share }));
  const mean = shares.reduce((sum, { share }) => sum + share, 0) / shares.length;
  return {
    score: 20 * mean,
    evidence: few(shares.map(({ path, share }) => `${path}: ${rounded(share)}`)),
    flags: few(shares.filter(({ share }) => share === 0).map(({ path }) => `nothing of ${path} is there`)),
  };
}

function quality({ judge }: ExecutionFacts, human: number[]): Points {
  const [who, scores] = human.length > 0 ? ['people', human] : ['the judge', judge];
  if (scores.length === 0) return { score: null, evidence: ['nobody has judged it'], flags: [] };
  const mean = scores.reduce((sum, each) => sum + each, 0) / scores.length;
  const isLow = mean < 0.5;
  const said = `${who} gave ${rounded(mean)}${scores.length > 1 ? `, the mean of ${scores.length}` : ''}`;
  return { score: 20 * mean, evidence: [said], flags: isLow ? [said] : [] };
}
