import type { Ground } from '../platform/ground-port.ts';
import { redactorOf } from '../rules/redactor.ts';
import { type Review, reviewsIn } from '../rules/review-state.ts';
import { eventsIn } from '../rules/trace.ts';
import { aloneWith } from './alone.ts';
import { findRun, isLive, recordOf } from './kept-runs.ts';

/** Tells the trace of a run what its reviewers have said and it does not know yet; why it could not be told, where it could not.
 *  Their notes stay where they were written. A run that goes on writes its own trace: it is told when it has ended. */
export const tellTrace = (ground: Ground, runId: string): Promise<string | undefined> =>
  aloneWith(ground, runId, () => {
    const kept = ground.runs.list().includes(runId) ? findRun(ground, runId) : undefined;
    const record = recordOf(ground, runId);
    if (!kept?.trace || !record) return `the trace of ${runId} is gone, and is told nothing`;
    if (isLive(ground, record)) return `${runId} is still under way: its trace is told when it has ended`;
    const known = new Set(
      eventsIn(ground.traces.read(kept.trace)?.text ?? '').lines.flatMap(({ line }) =>
        line.event === 'review_resolved' ? [keyOf(line.data)] : [],
      ),
    );
    const said = reviewsIn(ground.reviews.read(), ground.now()).filter((review) => review.runId === runId);
    const news = said.flatMap(resolutionsOf).filter(({ data }) => !known.has(keyOf(data)));
    if (news.length > 0) add(ground, runId, kept.trace, news);
    return undefined;
  });

function add(ground: Ground, runId: string, name: string, news: ReturnType<typeof resolutionsOf>): void {
  const trace = ground.trace(runId, name, redactorOf({ secrets: [], patterns: [], allow: [], mac: ground.mac }));
  try {
    for (const { data, about } of news) trace.write('review_resolved', data, about);
  } finally {
    trace.close();
  }
  // Whatever else stands in the record stays there.
  const record = JSON.parse(ground.runs.read(runId, 'run.json')!) as object;
  ground.runs.write(runId, 'run.json', `${JSON.stringify({ ...record, head: trace.head(), lines: trace.lines() })}\n`);
}

const keyOf = ({ review_id, by, at, verdict, score }: Record<string, unknown>): string =>
  JSON.stringify([review_id, by, at, verdict, score]);

function resolutionsOf(review: Review) {
  const about = {
    ...(review.executionId ? { execution_id: review.executionId } : {}),
    ...(review.phase ? { phase: review.phase } : {}),
    ...(review.skill ? { skill: review.skill } : {}),
  };
  return review.resolutions.map(({ by, at, verdict, score, isAmended, isInformed }) => ({
    data: {
      ...{ review_id: review.id, kind: review.kind, by, at, verdict, score, amended: isAmended, judge_score_known: isInformed },
      ...{ review_status: review.status, human_mean: review.humanMean },
    },
    about,
  }));
}
