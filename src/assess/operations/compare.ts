import { array, boolean, description, metadata, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { commandLine } from '#core/errors/quote.ts';
import { FilePath } from '#core/model/scalars.ts';
import { skillRefusal } from '#runs/errors/skill.ts';
import { draws, seed } from '../rules/bootstrap.ts';
import { compare, type Scored, verdicts } from '../rules/compare.ts';
import { assessTraces, type Place, tracesOf } from './shared/traces.ts';

const Side = strictObject({ runs: number(), executions: number(), passed: number() });
const interval = { difference: number(), low: number(), high: number() };
const SkillComparison = strictObject({
  skill: string(),
  verdict: picklist(verdicts),
  baseline: Side,
  candidate: Side,
  passRate: optional(pipe(strictObject(interval), description('The interval of the difference by Newcombe, 95 percent'))),
  score: optional(pipe(strictObject({ ...interval, pairs: number() }), description('In percent points, paired, resampled; 95 percent'))),
});
const Comparison = strictObject({
  verdict: picklist(verdicts),
  baseline: strictObject({ named: string(), runs: number(), executions: number() }),
  candidate: strictObject({ named: string(), runs: number(), executions: number() }),
  skills: array(SkillComparison),
  draws: number(),
  seed: number(),
});

export const assessCompare = query({
  name: 'assess.compare',
  summary: 'Say of each skill whether one set of runs went better than another',
  params: strictObject({
    baseline: pipe(FilePath, description('What it went like before: a run or a pattern'), metadata({ value: 'RUN|GLOB' })),
    candidate: pipe(FilePath, description('What is compared with it: a run or a pattern'), metadata({ value: 'RUN|GLOB' })),
    failOnRegression: optional(pipe(boolean(), description('Fail (exit 1) where a skill has got worse'))),
  }),
  result: strictObject({ comparison: Comparison }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'assess compare', args: ['baseline', 'candidate'] },
  example: {
    world: ['run run-1 2026-01-31 discovery/write', 'run run-2 2026-02-01 discovery/write'],
    call: { baseline: '2026-01-*', candidate: 'run-2' },
  },
  async run({ platform, project, now }, { baseline, candidate, failOnRegression }) {
    const [before, after] = [await scored({ platform, project }, baseline, now), await scored({ platform, project }, candidate, now)];
    const { verdict, skills } = compare(before.all, after.all);
    const comparison = { verdict, baseline: before.about, candidate: after.about, skills, draws, seed };
    const worse = skills.filter((each) => each.verdict === 'regressed').map(({ skill }) => skill);
    if (failOnRegression && worse.length > 0)
      throw skillRefusal(1, `${worse.join(', ')} got worse from ${baseline} to ${candidate}`, commandLine(['cleo', 'assess', candidate]), {
        comparison,
      });
    return { comparison };
  },
});

async function scored(place: Place, named: string, now: string) {
  const { executions, runs } = await assessTraces(place, tracesOf(place, [named]), now);
  const all = executions.map(({ facts, assessment }): Scored => ({ facts, percent: assessment.percent }));
  return { all, about: { named, runs, executions: all.length } };
}
