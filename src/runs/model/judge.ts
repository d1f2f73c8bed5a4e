import {
  array,
  boolean,
  exactOptional,
  type InferOutput,
  integer,
  literal,
  maxValue,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  record,
  strictObject,
  string,
} from 'valibot';
import { SkillEvidenceSchema } from './execution.ts';

/** From 0 to 1. */
const Share = pipe(number(), minValue(0), maxValue(1));

/** The input of a judge. All of it is data, none of it an instruction; secrets are redacted. */
export const JudgeRequestSchema = strictObject({
  protocol: literal('cleo-judge/1'),
  run_id: string(),
  execution_id: nullable(string()),
  kind: picklist(['selection', 'goal']),
  skill: string(),
  goal: string(),
  rubric: array(strictObject({ id: string(), question: string(), weight: number() })),
  evidence: array(SkillEvidenceSchema),
  artifacts: array(strictObject({ path: string(), sha256: string(), text: string(), truncated: boolean() })),
  candidates: array(strictObject({ name: string(), description: string() })),
});
export type JudgeRequest = InferOutput<typeof JudgeRequestSchema>;

/** The answer of a judge to one request. */
export const JudgeVerdictSchema = strictObject({
  verdict: picklist(['pass', 'fail', 'unsure']),
  score: Share,
  reasons: array(string()),
  criteria: array(strictObject({ id: string(), score: Share, reason: string() })),
  model: nullable(string()),
  usage: nullable(record(string(), number())),
});
export type JudgeVerdict = InferOutput<typeof JudgeVerdictSchema>;

/** One line of `.cleo/reviews.jsonl`. The state of a review is the fold of its lines. */
export const ReviewEventSchema = strictObject({
  event: picklist(['review_requested', 'review_claimed', 'review_resolved', 'review_amended', 'review_revealed']),
  review_id: string(),
  at: string(),
  by: string(),
  run_id: exactOptional(string()),
  execution_id: exactOptional(string()),
  phase: exactOptional(string()),
  skill: exactOptional(string()),
  kind: exactOptional(picklist(['selection', 'goal', 'requested'])),
  goal: exactOptional(nullable(string())),
  reason: exactOptional(string()),
  reviewers_required: exactOptional(pipe(number(), integer(), minValue(1))),
  /** The judge's score, hidden from reviewers until they have given their own. */
  judge_score: exactOptional(nullable(Share)),
  until: exactOptional(string()),
  verdict: exactOptional(picklist(['pass', 'fail'])),
  score: exactOptional(Share),
  note: exactOptional(string()),
});
export type ReviewEvent = InferOutput<typeof ReviewEventSchema>;
