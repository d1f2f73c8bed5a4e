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
import { Evidence } from './execution.ts';

/** From 0 to 1. */
const Share = pipe(number(), minValue(0), maxValue(1));

/** What a judge reads. All of it is data, and none of it an order; secrets are taken out. */
export const JudgeRequest = strictObject({
  protocol: literal('cleo-judge/1'),
  run_id: string(),
  execution_id: nullable(string()),
  kind: picklist(['selection', 'goal']),
  skill: string(),
  goal: string(),
  rubric: array(strictObject({ id: string(), question: string(), weight: number() })),
  evidence: array(Evidence),
  artifacts: array(strictObject({ path: string(), sha256: string(), text: string(), truncated: boolean() })),
  candidates: array(strictObject({ name: string(), description: string() })),
});
export type JudgeRequest = InferOutput<typeof JudgeRequest>;

/** What a judge says of one request. */
export const Verdict = strictObject({
  verdict: picklist(['pass', 'fail', 'unsure']),
  score: Share,
  reasons: array(string()),
  criteria: array(strictObject({ id: string(), score: Share, reason: string() })),
  model: nullable(string()),
  usage: nullable(record(string(), number())),
});
export type Verdict = InferOutput<typeof Verdict>;

/** A line of `.cleo/reviews.jsonl`. What is true of a review is what its lines say together. */
export const ReviewEvent = strictObject({
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
  /** What the judge said: shown to nobody before they have said their own. */
  judge_score: exactOptional(nullable(Share)),
  until: exactOptional(string()),
  verdict: exactOptional(picklist(['pass', 'fail'])),
  score: exactOptional(Share),
  note: exactOptional(string()),
});
export type ReviewEvent = InferOutput<typeof ReviewEvent>;
