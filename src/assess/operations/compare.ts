import { boolean, description, metadata, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { FilePath } from '#core/model/texts.ts';
import { createSkillError } from '#runs/errors/skill.ts';
import { ComparisonSchema } from '../model/assessment.ts';
import { compareExecutions, type ScoredExecution } from '../rules/compare.ts';
import { bootstrapDraws, bootstrapSeed } from '../rules/intervals.ts';
import { assessTraces, resolveTraces, type TraceContext } from './shared/traces.ts';

export const assessCompare = query({
  name: 'assess.compare',
  summary: 'Compare the results of each skill in two sets of runs',
  params: strictObject({
    baseline: pipe(FilePath, description('Runs to compare with: a run or a pattern'), metadata({ value: 'RUN|GLOB' })),
    candidate: pipe(FilePath, description('Runs to judge: a run or a pattern'), metadata({ value: 'RUN|GLOB' })),
    failOnRegression: optional(pipe(boolean(), description('Exit with 1 if a skill regressed'))),
  }),
  result: strictObject({ comparison: ComparisonSchema }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs', 'reviews', 'scores'],
  cli: { command: 'assess compare', args: ['baseline', 'candidate'], view: async () => (await import('../view.ts')).assessView },
  example: {
    world: ['run run-1 2026-01-31 discovery/write', 'run run-2 2026-02-01 discovery/write'],
    call: { baseline: '2026-01-*', candidate: 'run-2' },
  },
  async run(ctx, { baseline, candidate, failOnRegression }) {
    const [before, after] = [await scoreSide(ctx, baseline), await scoreSide(ctx, candidate)];
    const { verdict, skills } = compareExecutions(before.all, after.all);
    const comparison = { verdict, baseline: before.summary, candidate: after.summary, skills, draws: bootstrapDraws, seed: bootstrapSeed };
    const regressed = skills.filter((each) => each.verdict === 'regressed').map(({ skill }) => skill);
    if (failOnRegression && regressed.length > 0)
      throw createSkillError(
        1,
        `${regressed.join(', ')} regressed from ${baseline} to ${candidate}`,
        commandLine(['cleo', 'assess', candidate]),
        { comparison },
      );
    return { comparison };
  },
});

async function scoreSide(ctx: TraceContext & { now: string }, named: string) {
  const { executions, runs } = await assessTraces(ctx, await resolveTraces(ctx, [named]), ctx.now);
  const all = executions.map(({ facts, assessment }): ScoredExecution => ({ facts, percent: assessment.percent }));
  return { all, summary: { named, runs, executions: all.length } };
}
