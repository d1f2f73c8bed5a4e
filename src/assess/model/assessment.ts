import {
  array,
  boolean,
  description,
  type InferOutput,
  integer,
  literal,
  maxValue,
  minValue,
  nullable,
  number,
  optional,
  picklist,
  pipe,
  strictObject,
  string,
} from 'valibot';
import { Letter } from '#grade/model/grade.ts';

/** Changes whenever the same trace may give other points. */
export const rubricVersion = '1.0.0';

export const assessedDimensions = ['correctness', 'completeness', 'quality', 'efficiency', 'compliance'] as const;
export type AssessedDimension = (typeof assessedDimensions)[number];

const dimension = (about: string) =>
  pipe(
    strictObject({
      score: pipe(nullable(pipe(number(), minValue(0), maxValue(20))), description('Points earned; null where nothing is known')),
      max: pipe(picklist([0, 20]), description('0 where nothing is known: it then counts neither way')),
      evidence: pipe(array(string()), description('What the points come from')),
    }),
    description(about),
  );

const moment = (about: string) => pipe(string(), description(about));
const percent = pipe(number(), integer(), minValue(0), maxValue(100), description('totalScore of maxScore'));

/** A line of `.cleo/metrics/ASSESSMENTS.jsonl`. */
export const Assessment = strictObject({
  run_id: pipe(string(), description('The run')),
  execution_id: pipe(string(), description('One skill in one phase of it')),
  phase: pipe(string(), description('The phase')),
  skill: pipe(string(), description('The skill')),
  skill_version: pipe(string(), description('Its version; 0.0.0 where it has none')),
  status: pipe(picklist(['success', 'failure', 'partial', 'blocked', 'timeout']), description('How it ended')),
  exit_code: pipe(number(), integer(), description('What it ended with')),
  completed_at: moment('When it ended'),
  totalScore: pipe(number(), minValue(0), maxValue(100), description('Sum of the dimensions of which something is known')),
  maxScore: pipe(number(), integer(), minValue(0), maxValue(100), description('What they could have come to')),
  percent,
  grade: pipe(Letter, description('A from 90 percent, B from 75, C from 60, D from 45, else F')),
  dimensions: strictObject({
    correctness: dimension('Whether it ran, and made what its checks ask for'),
    completeness: dimension('How much of what it had to make is there'),
    quality: dimension('What people said of it, else the judge'),
    efficiency: dimension('Time, tokens and retries, against what this skill usually takes'),
    compliance: dimension('Whether it kept to the process'),
  }),
  flags: pipe(array(string()), description('What stands out, in the order of the dimensions')),
  prediction: optional(
    pipe(
      strictObject({
        pass: pipe(number(), minValue(0), maxValue(1), description('How likely people would let it pass')),
        model: pipe(string(), description('Which calibrated model says so')),
      }),
      description('What a calibrated model expects of people; no part of the score'),
    ),
  ),
  evaluator: pipe(picklist(['auto', 'judge', 'human']), description('Who judged the quality; auto: nobody')),
  rubric_version: pipe(string(), description('Same trace and same version: same assessment')),
  timestamp: moment('When it was assessed'),
});
export type Assessment = InferOutput<typeof Assessment>;

/** What the trace of a run tells of one of its executions. */
export interface ExecutionFacts {
  runId: string;
  executionId: string;
  phase: string;
  skill: string;
  version: string;
  status: Assessment['status'];
  exitCode: number;
  exitClass: string;
  endedAt: string;
  durationMs: number;
  /** The skill was begun; refused and skipped executions never were. */
  isInvoked: boolean;
  attempts: number;
  retries: number;
  /** Of one attempt; null where there is none. */
  timeoutMs: number | null;
  longestAttemptMs: number;
  /** Equal where the inputs were; null where nothing of them was kept. */
  inputs: string | null;
  checks: { gate: number; name: string; passed: boolean; message: string }[];
  /** The gates that somebody let pass. */
  forced: string[];
  /** What it had to make; null where the trace does not say. */
  outputs: { path: string; completeness: number }[] | null;
  tokens: number | null;
  confidence: number | null;
  /** What the judge gave, vote by vote. */
  judge: number[];
  warnings: { code: string; message: string }[];
  /** What it handed on and nobody took. */
  rejections: { from: string; to: string; reason: string }[];
}

const share = pipe(number(), minValue(0), maxValue(1));

/** `.cleo/assess/model.json`: a way of predicting what people say, learned from what they said. */
export const CalibratedModel = strictObject({
  schema_version: literal(1),
  rubric_version: pipe(string(), description('The rubric whose points it was learned from')),
  active: pipe(boolean(), description('Whether assessments carry its prediction')),
  reason: optional(pipe(string(), description('Why they do not'))),
  id: pipe(string(), description('Of what it has learned')),
  verdicts: pipe(number(), description('Executions that people have judged')),
  passed: number(),
  failed: number(),
  auc: pipe(share, description('Over five folds, each predicted by what the other four taught')),
  brier: pipe(share, description('Likewise')),
  accuracy: pipe(share, description('Likewise')),
  majority: pipe(
    strictObject({ accuracy: share, brier: share }),
    description('What it has to beat: always saying what most verdicts say, and always giving the share of those that pass'),
  ),
  intercept: number(),
  features: array(strictObject({ name: string(), weight: number(), mean: number(), deviation: number() })),
  trained_at: string(),
});
export type CalibratedModel = InferOutput<typeof CalibratedModel>;
