import { array, description, maxLength, metadata, minLength, number, pipe, record, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { FilePath } from '#core/model/scalars.ts';
import { budgetOf, pageParams } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import { Assessment } from '../model/assessment.ts';
import { rounded } from '../rules/score.ts';
import { nowParam } from './shared/now.ts';
import { tellScores } from './shared/score-trace.ts';
import { type AssessedTraces, assessmentsFile, assessTraces, type Place, tracesOf } from './shared/traces.ts';

const Totals = strictObject({
  runs: number(),
  executions: number(),
  passed: number(),
  skipped: pipe(number(), description('Executions in which nothing had to be done')),
  percent: pipe(number(), description('The mean of all')),
  grades: pipe(record(string(), number()), description('How many got each')),
});

export const assessRun = job({
  name: 'assess.run',
  summary: 'Score the executions of runs, from what their traces tell',
  params: strictObject({
    runs: pipe(
      array(FilePath),
      minLength(1, 'must name a run'),
      maxLength(10_000, 'must be at most 10000'),
      description('Runs, names of traces, or patterns such as 2026-01-*.jsonl'),
      metadata({ value: 'RUN|GLOB' }),
    ),
    ...pageParams(20),
    now: nowParam,
  }),
  result: strictObject({ assessments: array(Assessment), totals: Totals, file: string() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'assess', args: ['runs'] },
  example: {
    world: ['run run-1 2026-01-31 discovery/write design/draw:84'],
    call: { runs: ['2026-01-*.jsonl'], now: '2026-02-01T00:00:00.000Z' },
  },
  async run({ platform, project, now }, { runs, limit, offset, budget, now: given }) {
    const found = await assessTraces({ platform, project }, tracesOf({ platform, project }, runs), given ?? now);
    const all = found.executions.map(({ assessment }) => assessment);
    // All of them, and only once: who turns the page has them already.
    const untold = offset === 0 ? await kept({ platform, project }, all) : [];
    const assessments = all.slice(offset, offset + limit);
    return answer(
      { assessments, totals: totalsOf(found), file: `.cleo/${assessmentsFile}` },
      {
        ...{ warnings: [...found.warnings, ...untold], truncated: cutOf(assessments.length, all.length) },
        ...budgetOf({ limit, offset, budget }),
      },
    );
  },
});

async function kept(place: Place, all: Assessment[]): Promise<string[]> {
  if (all.length === 0) return [];
  const { platform, project } = place;
  // In one write: each is synced, and a thousand of them would take seconds.
  platform.files.appendLine(`${project.folder}/${assessmentsFile}`, all.map((line) => JSON.stringify(line)).join('\n'));
  return told(place, all);
}

/** The traces they come from are told the scores; those that could not be written to. A trace that is nobody's, or not what was written,
 *  is told nothing: of the latter its flags speak. */
async function told({ platform, project }: Place, all: Assessment[]): Promise<string[]> {
  const warnings: string[] = [];
  const ground = await platform.ground(project);
  const byRun = new Map<string, Assessment[]>(ground.runs.list().map((runId) => [runId, []]));
  for (const assessment of all) byRun.get(assessment.run_id)?.push(assessment);
  for (const [runId, assessments] of byRun)
    if (assessments.length > 0)
      await tellScores(ground, runId, assessments).catch((error: Error) => {
        warnings.push(`the trace of ${runId} was not told its score: ${error.message}`);
      });
  return warnings.slice(0, 20);
}

function totalsOf({ executions, skipped, runs }: AssessedTraces) {
  const grades: Record<string, number> = {};
  for (const { assessment } of executions) grades[assessment.grade] = (grades[assessment.grade] ?? 0) + 1;
  const sum = executions.reduce((total, { assessment }) => total + assessment.percent, 0);
  return {
    runs,
    executions: executions.length,
    passed: executions.filter(({ facts }) => facts.status === 'success').length,
    skipped,
    percent: executions.length === 0 ? 0 : rounded(sum / executions.length),
    grades: Object.fromEntries(Object.entries(grades).sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}
