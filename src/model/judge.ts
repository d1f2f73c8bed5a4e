/** What a judge says of one request. */
export interface Verdict {
  verdict: 'pass' | 'fail' | 'unsure';
  /** From 0 to 1. */
  score: number;
  reasons: string[];
  criteria: { id: string; score: number; reason: string }[];
  model: string | null;
}

/** A line of `.cleo/reviews.jsonl`. What is true of a review is what its lines say together. */
export interface ReviewEvent {
  event: 'review_requested' | 'review_claimed' | 'review_resolved' | 'review_amended' | 'review_revealed';
  review_id: string;
  at: string;
  by: string;
  run_id?: string;
  execution_id?: string;
  phase?: string;
  skill?: string;
  kind?: 'selection' | 'goal' | 'requested';
  goal?: string | null;
  reason?: string;
  reviewers_required?: number;
  /** What the judge said: shown to nobody before they have said their own. */
  judge_score?: number | null;
  until?: string;
  verdict?: 'pass' | 'fail';
  score?: number;
  note?: string;
}
