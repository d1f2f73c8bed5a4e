import { array, boolean, description, integer, maxValue, minValue, number, optional, pipe, strictObject, string, unknown } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import type { Ground } from '#platform/ground-port.ts';
import { SkillName } from '#skills/operations/show.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import { manifestNames, pathProblem, skillNameProblem } from '../../rules/construct/names.ts';
import { singleSkill } from '../../rules/construct/single.ts';
import { runPhases } from '../../runner/run.ts';
import { schemasOf } from '../../runner/schemas.ts';
import { requestOf } from '../shared/begin.ts';
import { leave, RunShape, runRefusal, runView, saidOf } from '../shared/outcome.ts';
import { readsInput, runParams } from '../shared/run-params.ts';
import { surroundingsOf } from '../shared/surroundings.ts';

export const skillsRun = job({
  name: 'skills.run',
  summary: 'Run one skill: gates, attempts, a result and a trace; its exit code is the answer',
  params: strictObject({
    name: SkillName,
    ...runParams,
    retries: optional(
      pipe(
        number(),
        integer('must be a whole number'),
        minValue(0, 'must not be negative'),
        maxValue(10, 'must be at most 10'),
        description('How often to try again what may succeed later'),
      ),
    ),
    outputs: optional(pipe(array(string()), description('Files it is to make, below the project'))),
    raw: optional(pipe(boolean(), description('Print only what the skill printed, for pipes'))),
  }),
  result: strictObject({ run: RunShape, primary: optional(unknown()), printed: optional(string()) }),
  errors: ['E_SKILL'],
  tier: 1,
  scope: 'admin',
  exits: 'skill',
  progress: async () => (await import('../../rules/narration.ts')).runNarration,
  redactedParams: ['input', 'intent'],
  cli: { command: ['skill run', 'skills run'], args: ['name'], read: readsInput, raw: 'printed' },
  example: { world: ['construct'], call: { name: 'write', dryRun: true } },
  async run(ctx, { name, dryRun: isDry, retries, outputs: asked, raw, resume: run, ...given }) {
    const ground = await ctx.platform.ground(ctx.project);
    const problem = skillNameProblem(name);
    if (problem) throw skillRefusal(64, problem, 'cleo skill list');
    const resume = run === undefined ? undefined : (await import('../shared/resume.ts')).resumed(ctx, ground, run, 'skill', name);
    const outputs = asked ?? resume?.asked.outputs;
    const wrong = outputs?.find((path) => pathProblem(path) !== undefined);
    if (wrong !== undefined) throw skillRefusal(78, `${JSON.stringify(wrong)} ${pathProblem(wrong)}`, 'cleo help skill run');
    const construct = singleSkill(name, await ofProject(ctx, ground), { retries, outputs });
    const request = await requestOf(ctx, ground, construct, { ...given, resume, outputs }, ['skill'], 'skill');
    const surroundings = await surroundingsOf(ctx, ground, construct, await schemasOf([], { isMeasuring: false }));
    try {
      if (isDry)
        return answer({ run: await (await import('../shared/dry-run.ts')).dryRun(ground, request, surroundings) }, { dryRun: true });
      const outcome = await runPhases(ground, request, surroundings);
      const refusal = runRefusal(outcome, ctx.commandWith);
      if (refusal) throw refusal;
      const primary = outcome.redactor.value(outcome.executed[0]?.outcome.result.outputs.primary ?? null);
      const printed = typeof primary === 'string' ? primary : primary === null ? '' : JSON.stringify(primary);
      const { task, warnings } = await leave(ctx, outcome, construct, resume);
      return answer({ run: runView(outcome, task), ...(raw ? { printed } : { primary }) }, { warnings: [...saidOf(outcome), ...warnings] });
    } finally {
      surroundings.stop();
    }
  },
});

/** The construct of the project, where there is one that can be read. */
async function ofProject(ctx: JobContext, ground: Ground): Promise<Construct | undefined> {
  const file = manifestNames.find((path) => ground.at(path) !== undefined);
  if (file === undefined) return undefined;
  const { manifestOf } = await import('../shared/manifest.ts');
  return (await manifestOf(ctx, undefined, file)).construct;
}
