import { array, description, maxLength, metadata, minLength, number, pipe, record, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { FilePath } from '#core/model/texts.ts';
import { pageParams, toBudget } from '#core/page.ts';
import { toTruncation } from '#lib/page.ts';
import { mean } from '#lib/statistics.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { TraceLine } from '#runs/model/trace.ts';
import { appendToTrace, type TraceAddition } from '#runs/runner/append-to-trace.ts';
import { type Assessment, AssessmentSchema, assessedDimensions } from '../model/assessment.ts';
import { roundTo2 } from '../rules/score.ts';
import { nowParam } from './shared/now-param.ts';
import { type AssessedTraces, assessmentsFile, assessTraces, resolveTraces, type TraceContext } from './shared/traces.ts';

const Totals = strictObject({
  runs: number(),
  executions: number(),
  passed: number(),
  skipped: pipe(number(), description('Executions that were skipped because nothing had to be done')),
  percent: pipe(number(), description('Mean of all executions')),
  grades: pipe(record(string(), number()), description('Number of executions per grade')),
});

export const assessRun = job({
  name: 'assess.run',
  summary: 'Score the executions of runs from their traces',
  params: strictObject({
    runs: pipe(
      array(FilePath),
      minLength(1, 'must contain a run'),
      maxLength(10_000, 'must be at most 10000'),
      description('Run ids, trace names, or patterns such as 2026-01-*.jsonl'),
      metadata({ value: 'RUN|GLOB' }),
    ),
    ...pageParams(20),
    now: nowParam,
  }),
  result: strictObject({ assessments: array(AssessmentSchema), totals: Totals, file: string() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs', 'reviews', 'scores'],
  cli: { command: 'assess', args: ['runs'], view: async () => (await import('../view.ts')).assessView },
  example: {
    world: ['run run-1 2026-01-31 discovery/write design/draw:84'],
    call: { runs: ['2026-01-*.jsonl'], now: '2026-02-01T00:00:00.000Z' },
  },
  async run(ctx, { runs, limit, offset, budget, now = ctx.now }) {
    const found = await assessTraces(ctx, await resolveTraces(ctx, runs), now);
    const all = found.executions.map(({ assessment }) => assessment);
    // The call for the first page stores the assessments of all pages, so that paging does not store them again.
    const problems = offset === 0 ? await storeAssessments(ctx, all) : [];
    const assessments = all.slice(offset, offset + limit);
    return answer(
      { assessments, totals: computeTotals(found), file: `.cleo/${assessmentsFile}` },
      {
        ...(assessments.length === 0 ? { exit: 100 as const } : {}),
        warnings: [...found.warnings, ...problems],
        truncated: toTruncation(assessments.length, all.length),
        ...toBudget({ limit, offset, budget }),
      },
    );
  },
});

async function storeAssessments(ctx: TraceContext, all: Assessment[]): Promise<string[]> {
  if (all.length === 0) return [];
  const { platform, project } = ctx;
  // One write for all lines, because each write is synced to disk.
  platform.files.appendLine(`${project.folder}/${assessmentsFile}`, all.map((line) => JSON.stringify(line)).join('\n'));
  return appendToTraces(ctx, all);
}

/** Appends the scores to the traces of the runs and returns warnings for those that could not be written. Runs without a record are
 *  skipped. */
async function appendToTraces({ platform, project }: TraceContext, all: Assessment[]): Promise<string[]> {
  const warnings: string[] = [];
  const runner = await platform.createRunner(project);
  const byRun = new Map<string, Assessment[]>(runner.runs.list().map((runId) => [runId, []]));
  for (const assessment of all) byRun.get(assessment.run_id)?.push(assessment);
  for (const [runId, assessments] of byRun)
    if (assessments.length > 0)
      await appendScores(runner, runId, assessments).catch((error: Error) => {
        warnings.push(`the trace of ${runId} did not get its score: ${error.message}`);
      });
  return warnings.slice(0, 20);
}

/** Appends the scores of a run's executions to its trace. A score that equals the last recorded one is not appended again. */
const appendScores = (runner: RunnerPlatform, runId: string, assessments: Assessment[]): Promise<string | undefined> =>
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

function computeTotals({ executions, skipped, runs }: AssessedTraces) {
  const grades: Record<string, number> = {};
  for (const { assessment } of executions) grades[assessment.grade] = (grades[assessment.grade] ?? 0) + 1;
  return {
    runs,
    executions: executions.length,
    passed: executions.filter(({ facts }) => facts.status === 'success').length,
    skipped,
    percent: roundTo2(mean(executions.map(({ assessment }) => assessment.percent))),
    grades: Object.fromEntries(Object.entries(grades).sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}
