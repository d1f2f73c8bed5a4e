import { addToList } from '#lib/collections.ts';
import type { ReviewEvent } from '#runs/model/judge.ts';

/** The answers of reviewers for one execution. */
export interface HumanVerdict {
  /** One score per reviewer and review, from 0 to 1. */
  scores: number[];
  /** The majority verdict; undefined for a tie. */
  verdict?: 'pass' | 'fail';
}

interface ReviewAnswer {
  score: number;
  verdict: 'pass' | 'fail';
}

/** Collects verdicts by execution. The last answer of a reviewer counts. Reviews of the selection are excluded, because they do not say how
 *  well the skill did. */
export function collectVerdicts(events: ReviewEvent[]): Map<string, HumanVerdict> {
  const executions = new Map<string, string>();
  const answersByReview = new Map<string, Map<string, ReviewAnswer>>();
  for (const event of events) {
    const { review_id: id, execution_id: execution, kind, verdict, by } = event;
    if (event.event === 'review_requested' && execution !== undefined && kind !== 'selection') executions.set(id, execution);
    if ((event.event !== 'review_resolved' && event.event !== 'review_amended') || verdict === undefined) continue;
    const score = isShare(event.score) ? event.score : verdict === 'pass' ? 1 : 0;
    const answers = answersByReview.get(id) ?? new Map();
    answers.set(by, { score, verdict });
    answersByReview.set(id, answers);
  }
  const byExecution = new Map<string, ReviewAnswer[]>();
  for (const [id, answers] of answersByReview) {
    const execution = executions.get(id);
    if (execution !== undefined) for (const answer of answers.values()) addToList(byExecution, execution, answer);
  }
  return new Map([...byExecution].map(([execution, answers]) => [execution, toHumanVerdict(answers)]));
}

function toHumanVerdict(answers: ReviewAnswer[]): HumanVerdict {
  const lead = answers.reduce((sum, { verdict }) => sum + (verdict === 'pass' ? 1 : -1), 0);
  return { scores: answers.map(({ score }) => score), ...(lead === 0 ? {} : { verdict: lead > 0 ? 'pass' : 'fail' }) };
}

const isShare = (score: unknown): score is number => typeof score === 'number' && score >= 0 && score <= 1;
