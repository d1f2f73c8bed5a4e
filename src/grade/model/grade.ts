import {
  array,
  description,
  entriesFromList,
  type InferOutput,
  integer,
  literal,
  maxValue,
  minValue,
  number,
  optional,
  picklist,
  pipe,
  record,
  regex,
  strictObject,
  string,
  unknown,
} from 'valibot';
import type { Gateway } from '#core/model/audit.ts';

const points = (max: number) => pipe(number(), integer(), minValue(0), maxValue(max));

const DimensionScore = strictObject({
  score: pipe(points(20), description('Points earned')),
  max: literal(20),
  evidence: pipe(array(string()), description('Reasons for the points')),
});

export const DimensionNameSchema = picklist(['sessionDiscipline', 'discoveryEfficiency', 'taskHygiene', 'errorProtocol', 'disclosureUse']);
export const LetterSchema = picklist(['A', 'B', 'C', 'D', 'F']);

/** A line of `.cleo/metrics/GRADES.jsonl`. */
export const GradeResultSchema = strictObject({
  sessionId: pipe(string(), description('The graded session')),
  taskId: optional(pipe(string(), regex(/^T\d{3,}$/), description('The task the session is about, if there is one'))),
  totalScore: pipe(points(100), description('Sum of the five dimensions')),
  maxScore: literal(100),
  dimensions: strictObject(entriesFromList(DimensionNameSchema.options, DimensionScore)),
  flags: pipe(array(string()), description('Protocol violations, in the order of the rubric')),
  timestamp: pipe(string(), description('Time of grading')),
  entryCount: pipe(number(), integer(), minValue(0), description('Number of graded audit entries')),
  evaluator: pipe(literal('auto'), description('The evaluator; always auto')),
});

/** A grade as `admin.grade` returns it. */
export const GradeSchema = strictObject({
  ...GradeResultSchema.entries,
  percent: pipe(points(100), description('totalScore of maxScore')),
  letter: pipe(LetterSchema, description('A from 90, B from 75, C from 60, D from 45, else F')),
});

const EntryReferenceSchema = strictObject({ seq: number(), operation: string(), timestamp: string() });

/** Lost points, the entries that lost them, and the call that would have avoided the loss. */
export const ExplainedLoss = strictObject({
  dimension: DimensionNameSchema,
  points: points(20),
  reason: string(),
  entries: array(EntryReferenceSchema),
  /** Number of further entries that are not listed. */
  more: optional(number()),
  call: strictObject({
    gateway: picklist(['cleo_query', 'cleo_mutate']),
    domain: string(),
    operation: string(),
    params: record(string(), unknown()),
  }),
  command: optional(string()),
});

const trendFigures = {
  sessions: number(),
  average: number(),
  last: number(),
  /** Percent of each session, oldest first. */
  scores: array(number()),
};
export const TrendSchema = strictObject({ agent: string(), ...trendFigures });
export const ScopeTrendSchema = strictObject({ scope: string(), ...trendFigures });

export type DimensionName = InferOutput<typeof DimensionNameSchema>;
export type Letter = InferOutput<typeof LetterSchema>;
export type GradeResult = InferOutput<typeof GradeResultSchema>;
export type Grade = InferOutput<typeof GradeSchema>;
export type GradeTrend = InferOutput<typeof TrendSchema>;
export type ScopeTrend = InferOutput<typeof ScopeTrendSchema>;
export type EntryReference = InferOutput<typeof EntryReferenceSchema>;

/** The fields of an audit entry that the rubric reads. */
export interface GradeEntry extends EntryReference {
  /** The name that was called, with its domain; it may be an alias. */
  operation: string;
  gateway: Gateway;
  /** JSON; `{}` unless the call created something or failed with exit code 4. */
  params: string;
  success: boolean;
  exitCode: number;
  created: string[];
}
