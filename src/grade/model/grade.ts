import {
  array,
  description,
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

const points = (most: number) => pipe(number(), integer(), minValue(0), maxValue(most));

export const DimensionScore = strictObject({
  score: pipe(points(20), description('Points earned')),
  max: literal(20),
  evidence: pipe(array(string()), description('What earned them')),
});

export const DimensionName = picklist(['sessionDiscipline', 'discoveryEfficiency', 'taskHygiene', 'errorProtocol', 'disclosureUse']);
export const Letter = picklist(['A', 'B', 'C', 'D', 'F']);

/** A line of `.cleo/metrics/GRADES.jsonl`. */
export const GradeResult = strictObject({
  sessionId: pipe(string(), description('The session that was graded')),
  taskId: optional(pipe(string(), regex(/^T\d{3,}$/), description('The task the session is about, where it has one'))),
  totalScore: pipe(points(100), description('Sum of the five dimensions')),
  maxScore: literal(100),
  dimensions: strictObject({
    sessionDiscipline: DimensionScore,
    discoveryEfficiency: DimensionScore,
    taskHygiene: DimensionScore,
    errorProtocol: DimensionScore,
    disclosureUse: DimensionScore,
  }),
  flags: pipe(array(string()), description('What broke the protocol, in the order of the rubric')),
  timestamp: pipe(string(), description('When it was graded')),
  entryCount: pipe(number(), integer(), minValue(0), description('How many entries of the audit log were graded')),
  evaluator: pipe(literal('auto'), description('Who graded')),
});

/** The same as it is answered. */
export const Grade = strictObject({
  ...GradeResult.entries,
  percent: pipe(points(100), description('totalScore of maxScore')),
  letter: pipe(Letter, description('A from 90, B from 75, C from 60, D from 45, else F')),
});

export const Trace = strictObject({ seq: number(), operation: string(), timestamp: string() });

/** Points that were lost, the entries that lost them, and the call that would have kept them. */
export const Loss = strictObject({
  dimension: DimensionName,
  points: points(20),
  reason: string(),
  entries: array(Trace),
  /** How many there are beside those. */
  more: optional(number()),
  call: strictObject({
    gateway: picklist(['cleo_query', 'cleo_mutate']),
    domain: string(),
    operation: string(),
    params: record(string(), unknown()),
  }),
  command: optional(string()),
});

export type DimensionName = InferOutput<typeof DimensionName>;
export type Letter = InferOutput<typeof Letter>;
export type GradeResult = InferOutput<typeof GradeResult>;
export type Grade = InferOutput<typeof Grade>;
export type Trace = InferOutput<typeof Trace>;

/** An entry of the log, as far as a grade looks at it. */
export interface GradeEntry extends Trace {
  /** As it was called, alias or not, with its domain. */
  operation: string;
  gateway: Gateway;
  /** JSON; `{}` where the entry neither created anything nor was refused with 4. */
  params: string;
  success: boolean;
  exitCode: number;
  created: string[];
}
