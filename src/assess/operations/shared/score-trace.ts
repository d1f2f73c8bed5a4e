import type { Ground } from '#platform/ground-port.ts';
import type { TraceLine } from '#runs/model/trace.ts';
import { type Afterword, tellAfter } from '#runs/runner/trace-after.ts';
import { type Assessment, assessedDimensions } from '../../model/assessment.ts';

/** Tells the trace of a run how its executions were scored. A score that it was told last is no news, however often it is asked for. */
export const tellScores = (ground: Ground, runId: string, assessments: Assessment[]): Promise<string | undefined> =>
  tellAfter(ground, runId, 'score_recorded', (lines) => {
    const last = new Map(lines.flatMap((line) => (line.event === 'score_recorded' ? [[line.execution_id, keyOf(line)]] : [])));
    return assessments.map(wordOf).filter((word) => last.get(word.about.execution_id) !== keyOf(word));
  });

const keyOf = ({ data }: Pick<TraceLine, 'data'>): string => JSON.stringify(data);

function wordOf(assessment: Assessment): Afterword {
  const { execution_id, phase, skill, totalScore, maxScore, percent, grade, dimensions, evaluator, rubric_version } = assessment;
  return {
    data: {
      ...{ total_score: totalScore, max_score: maxScore, percent, grade, evaluator, rubric_version },
      dimensions: Object.fromEntries(assessedDimensions.map((name) => [name, dimensions[name].score])),
    },
    about: { execution_id, phase, skill },
  };
}
