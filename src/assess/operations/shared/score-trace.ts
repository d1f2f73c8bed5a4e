import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { TraceLine } from '#runs/model/trace.ts';
import { appendToTrace, type TraceAddition } from '#runs/runner/append-to-trace.ts';
import { type Assessment, assessedDimensions } from '../../model/assessment.ts';

/** Appends the scores of a run's executions to its trace. A score that equals the last recorded one is not appended again. */
export const appendScores = (runner: RunnerPlatform, runId: string, assessments: Assessment[]): Promise<string | undefined> =>
  appendToTrace(runner, runId, 'score_recorded', (lines) => {
    const last = new Map(lines.flatMap((line) => (line.event === 'score_recorded' ? [[line.execution_id, getScoreKey(line)]] : [])));
    return assessments.map(toAddition).filter((addition) => last.get(addition.subject.execution_id) !== getScoreKey(addition));
  });

const getScoreKey = ({ data }: Pick<TraceLine, 'data'>): string => JSON.stringify(data);

function toAddition(assessment: Assessment): TraceAddition {
  const { execution_id, phase, skill, totalScore, maxScore, percent, grade, dimensions, evaluator, rubric_version } = assessment;
  return {
    data: {
      total_score: totalScore,
      max_score: maxScore,
      percent,
      grade,
      evaluator,
      rubric_version,
      dimensions: Object.fromEntries(assessedDimensions.map((name) => [name, dimensions[name].score])),
    },
    subject: { execution_id, phase, skill },
  };
}
