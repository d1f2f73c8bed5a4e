import type { ReviewEvent } from '#runs/model/judge.ts';

/** The answers of reviewers for one execution. */
export interface HumanVerdict {
  /** One score per reviewer and review, from 0 to 1. */
  scores: number[];
  /** The majority verdict; undefined for a tie. */
  verdict?: 'pass' | 'fail';
}

/** Collects verdicts by execution. The last answer of a reviewer counts. Reviews of the selection are excluded, because they do not say how
 *  well the skill did. */
export function collectVerdicts(events: ReviewEvent[]): Map<string, HumanVerdict> {
  const executions = new Map<string, string>();
  const answersByReview = new Map<string, Map<string, { score: number; verdict: 'pass' | 'fail' }>>();
  for (const event of events) {
    const { review_id: id, execution_id: execution, kind, verdict, by } = event;
    if (event.event === 'review_requested' && execution !== undefined && kind !== 'selection') executions.set(id, execution);
    if ((event.event !== 'review_resolved' && event.event !== 'review_amended') || verdict === undefined) continue;
    const score = isShare(event.score) ? event.score : verdict === 'pass' ? 1 : 0;
    const answers = answersByReview.get(id) ?? new Map();
    answers.set(by, { score, verdict });
    answersByReview.set(id, answers);
  }
  const totals = new Map<string, { scores: number[]; passes: number }>();
  for (const [id, answers] of answersByReview) {
    const execution = executions.get(id);
    if (execution === undefined) continue;
    const known = totals.get(execution) ?? { scores: [], passes: 0 };
    for (const { score, verdict } of answers.values()) {
      known.scores.push(score);
      known.passes += verdict === 'pass' ? 1 : 0;
    }
    totals.set(execution, known);
  }
  return new Map([...totals].map(([execution, { scores, passes }]) => [execution, { scores, ...decideMajority(passes, scores.length) }]));
}

const isShare = (score: unknown): score is number => typeof score === 'number' && score >= 0 && score <= 1;

const decideMajority = (passes: number, all: number): { verdict?: 'pass' | 'fail' } =>
  passes * 2 === all ? {} : { verdict: passes * 2 > all ? 'pass' : 'fail' };
