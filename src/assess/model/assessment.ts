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
import { LetterSchema } from '#grade/model/grade.ts';

/** Increased whenever the same trace can get a different score. */
export const rubricVersion = '1.0.0';

export const assessedDimensions = ['correctness', 'completeness', 'quality', 'efficiency', 'compliance'] as const;
export type AssessedDimension = (typeof assessedDimensions)[number];

const describeDimension = (about: string) =>
  pipe(
    strictObject({
      score: pipe(nullable(pipe(number(), minValue(0), maxValue(20))), description('Points; null without data')),
      max: pipe(picklist([0, 20]), description('0 without data: the dimension does not count')),
      evidence: pipe(array(string()), description('Reasons for the points')),
    }),
    description(about),
  );

const describeText = (about: string) => pipe(string(), description(about));
const share = pipe(number(), minValue(0), maxValue(1));

/** One line of `.cleo/metrics/ASSESSMENTS.jsonl`. */
export const AssessmentSchema = strictObject({
  run_id: describeText('Id of the run'),
  execution_id: describeText('Id of the execution: one skill in one phase of the run'),
  phase: describeText('Name of the phase'),
  skill: describeText('Name of the skill'),
  skill_version: describeText('Version of the skill; 0.0.0 if it has none'),
  status: pipe(picklist(['success', 'failure', 'partial', 'blocked', 'timeout']), description('Outcome of the execution')),
  exit_code: pipe(number(), integer(), description('Exit code of the execution')),
  completed_at: describeText('Time when the execution ended'),
  totalScore: pipe(number(), minValue(0), maxValue(100), description('Sum of the dimensions with data')),
  maxScore: pipe(number(), integer(), minValue(0), maxValue(100), description('Maximum of those dimensions')),
  percent: pipe(number(), integer(), minValue(0), maxValue(100), description('totalScore of maxScore')),
  grade: pipe(LetterSchema, description('A from 90 percent, B from 75, C from 60, D from 45, else F')),
  dimensions: strictObject({
    correctness: describeDimension('Exit status and checks of the execution and output gates'),
    completeness: describeDimension('Completeness of the required outputs'),
    quality: describeDimension('Scores of reviewers, or else of the judge'),
    efficiency: describeDimension('Time, tokens and retries, compared with earlier runs of the skill'),
    compliance: describeDimension('Compliance with the process'),
  }),
  flags: pipe(array(string()), description('Problems, in the order of the dimensions')),
  prediction: optional(
    pipe(
      strictObject({
        pass: pipe(share, description('Probability that a reviewer passes it')),
        model: describeText('Id of the calibrated model'),
      }),
      description('Prediction of a calibrated model; not part of the score'),
    ),
  ),
  evaluator: pipe(picklist(['auto', 'judge', 'human']), description('Who scored the quality; auto: not scored')),
  rubric_version: describeText('Version of the rubric; the same trace and version give the same assessment'),
  timestamp: describeText('Time of the assessment'),
});
export type Assessment = InferOutput<typeof AssessmentSchema>;

/** The facts about one execution, from the trace of its run. */
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
  /** False for executions that were refused or skipped. */
  isInvoked: boolean;
  attempts: number;
  retries: number;
  /** Timeout of one attempt; null: none. */
  timeoutMs: number | null;
  maxAttemptMs: number;
  /** A canonical form of the inputs, equal for equal inputs; null if the trace does not store them. */
  inputs: string | null;
  checks: { gate: string; name: string; passed: boolean; message: string }[];
  /** Names of the gates that were forced. */
  forced: string[];
  /** Required outputs; null if the trace does not list them. */
  outputs: { path: string; completeness: number }[] | null;
  tokens: number | null;
  confidence: number | null;
  /** Score of each vote of the judge. */
  judge: number[];
  warnings: { code: string; message: string; path?: string }[];
  /** Rejected handoffs of this execution. */
  rejections: { from: string; to: string; reason: string }[];
}

/** `.cleo/assess/model.json`: a model that predicts verdicts of reviewers. */
export const CalibratedModelSchema = strictObject({
  schema_version: literal(1),
  rubric_version: describeText('Rubric version of the training data'),
  active: pipe(boolean(), description('True if assessments contain its prediction')),
  reason: optional(describeText('Why the model is not used')),
  id: describeText('Hash of the weights'),
  verdicts: pipe(number(), description('Number of reviewed executions')),
  passed: number(),
  failed: number(),
  auc: pipe(share, description('Area under the ROC curve, by five-fold cross-validation')),
  brier: pipe(share, description('Brier score, by five-fold cross-validation')),
  accuracy: pipe(share, description('Accuracy, by five-fold cross-validation')),
  majority: pipe(
    strictObject({ accuracy: share, brier: share }),
    description('Baseline: always predicting the majority verdict, and always the share of passes'),
  ),
  intercept: number(),
  features: array(strictObject({ name: string(), weight: number(), mean: number(), deviation: number() })),
  trained_at: string(),
});
export type CalibratedModel = InferOutput<typeof CalibratedModelSchema>;

const compareVerdicts = ['improved', 'regressed', 'inconclusive', 'insufficient'] as const;
export type CompareVerdict = (typeof compareVerdicts)[number];

const ComparedSideSchema = strictObject({ runs: number(), executions: number(), passed: number() });
export type ComparedSide = InferOutput<typeof ComparedSideSchema>;

const interval = { difference: number(), low: number(), high: number() };
const SkillComparisonSchema = strictObject({
  skill: string(),
  verdict: picklist(compareVerdicts),
  baseline: ComparedSideSchema,
  candidate: ComparedSideSchema,
  passRate: optional(pipe(strictObject(interval), description('Difference of the pass rates with its 95 % Newcombe interval'))),
  score: optional(
    pipe(
      strictObject({ ...interval, pairs: number() }),
      description('Difference in percentage points with its 95 % bootstrap interval over pairs'),
    ),
  ),
});
export type SkillComparison = InferOutput<typeof SkillComparisonSchema>;

const ComparedRuns = strictObject({ named: string(), runs: number(), executions: number() });
/** Two sets of runs and the difference of each skill between them. */
export const ComparisonSchema = strictObject({
  verdict: picklist(compareVerdicts),
  baseline: ComparedRuns,
  candidate: ComparedRuns,
  skills: array(SkillComparisonSchema),
  draws: number(),
  seed: number(),
});

/** A recurring problem of a skill. */
export const SuggestionSchema = strictObject({
  rule: picklist([
    'precondition_fails',
    'near_time_limit',
    'retries_end_well',
    'undeclared_write',
    'handoff_short',
    'gate_forced',
    'undeclared_exit_code',
  ]),
  phase: string(),
  skill: optional(string()),
  /** A check, path, section or gate. */
  subject: string(),
  count: number(),
  of: number(),
  finding: string(),
  action: string(),
  /** Some of the runs that show the problem, newest first. */
  runs: array(string()),
});
export type SkillSuggestion = InferOutput<typeof SuggestionSchema>;
