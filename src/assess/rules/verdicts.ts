import type { ReviewEvent } from '#runs/model/judge.ts';

/** What people said of one execution. */
export interface HumanVerdict {
  /** One for each reviewer and question, from 0 to 1. */
  scores: number[];
  /** What most of them said; undefined where they are even. */
  verdict?: 'pass' | 'fail';
}

/** By execution. Whoever said something twice meant the second. Whether a skill was the right one to choose is another question than
 *  how well it did. */
export function verdictsIn(events: ReviewEvent[]): Map<string, HumanVerdict> {
  const executions = new Map<string, string>();
  const said = new Map<string, Map<string, { score: number; verdict: 'pass' | 'fail' }>>();
  for (const event of events) {
    const { review_id: id, execution_id: execution, kind, verdict, by } = event;
    if (event.event === 'review_requested' && execution !== undefined && kind !== 'selection') executions.set(id, execution);
    if ((event.event !== 'review_resolved' && event.event !== 'review_amended') || verdict === undefined) continue;
    const score = isShare(event.score) ? event.score : verdict === 'pass' ? 1 : 0;
    const answers = said.get(id) ?? new Map();
    answers.set(by, { score, verdict });
    said.set(id, answers);
  }
  const found = new Map<string, { scores: number[]; passes: number }>();
  for (const [id, answers] of said) {
    const execution = executions.get(id);
    if (execution === undefined) continue;
    const known = found.get(execution) ?? { scores: [], passes: 0 };
    for (const { score, verdict } of answers.values()) {
      known.scores.push(score);
      known.passes += verdict === 'pass' ? 1 : 0;
    }
    found.set(execution, known);
  }
  return new Map([...found].map(([execution, { scores, passes }]) => [execution, { scores, ...majority(passes, scores.length) }]));
}

const isShare = (score: unknown): score is number => typeof score === 'number' && score >= 0 && score <= 1;

const majority = (passes: number, all: number): { verdict?: 'pass' | 'fail' } =>
  passes * 2 === all ? {} : { verdict: passes * 2 > all ? 'pass' : 'fail' };
