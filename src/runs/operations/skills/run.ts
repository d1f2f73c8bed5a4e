import { array, boolean, description, optional, pipe, strictObject, string, unknown } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import { SkillName } from '#core/model/texts.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import { findManifestPathProblem, findSkillNameProblem, manifestNames } from '../../rules/construct/conventions.ts';
import { createSkillConstruct } from '../../rules/construct/single-skill.ts';
import { loadSchemas } from '../../runner/artifacts.ts';
import { runPhases } from '../../runner/run.ts';
import {
  createRunRequest,
  createRunSetup,
  forceScope,
  readConstructManifest,
  readsInput,
  requireTrustedRun,
  runParams,
} from '../shared/run-request.ts';
import { listRunWarnings, RunShape, recordRun, toRunError, toRunResult } from '../shared/run-result.ts';
import { taskLinkSteps } from '../shared/task-link-steps.ts';

export const skillsRun = job({
  name: 'skills.run',
  summary: 'Run one skill and exit with its exit code',
  params: strictObject({
    name: SkillName,
    ...runParams,
    retries: optional(pipe(wholeNumber({ min: 0, max: 10 }), description('Number of retries after a failure that may be temporary'))),
    outputs: optional(pipe(array(string()), description('Files that the skill must write, relative to the project'))),
    raw: optional(pipe(boolean(), description('Print only the output of the skill, for pipes'))),
  }),
  result: strictObject({ run: RunShape, primary: optional(unknown()), printed: optional(string()) }),
  errors: ['E_SKILL'],
  tier: 1,
  steps: taskLinkSteps,
  usesHost: true,
  scope: forceScope,
  exitNamespace: 'skill',
  progress: async () => (await import('../../rules/run-progress.ts')).runProgress,
  redactedParams: ['input', 'intent'],
  shares: ['runs', 'reviews', 'prunedRuns', 'scores'],
  cli: {
    command: ['skill run', 'skills run'],
    args: ['name'],
    read: readsInput,
    raw: 'printed',
    view: async () => (await import('../../view.ts')).runView,
  },
  example: { world: ['construct'], call: { name: 'write', dryRun: true } },
  async run(ctx, { name, dryRun, retries, outputs: declared, raw, resume: resumeName, ...params }) {
    const runner = await ctx.platform.createRunner(ctx.project);
    const problem = findSkillNameProblem(name);
    if (problem) throw createSkillError(64, problem, 'cleo skill list');
    const resume =
      resumeName === undefined
        ? undefined
        : (await import('../shared/resume-request.ts')).findResumableRun(ctx, runner, resumeName, 'skill', name);
    const outputs = declared ?? resume?.asked.outputs;
    const invalid = outputs?.find((path) => findManifestPathProblem(path) !== undefined);
    if (invalid !== undefined)
      throw createSkillError(78, `${JSON.stringify(invalid)} ${findManifestPathProblem(invalid)}`, 'cleo help skill run');
    const projectConstruct = await readProjectConstruct(ctx, runner);
    const construct = createSkillConstruct(name, projectConstruct, { retries, outputs });
    const request = await createRunRequest(ctx, runner, construct, { ...params, resume, outputs }, ['skill'], 'skill');
    const schemas = await loadSchemas([]);
    const setup = await createRunSetup(ctx, runner, construct, schemas);
    try {
      if (dryRun) {
        const { previewRun } = await import('../shared/dry-run.ts');
        return answer({ run: await previewRun(runner, request, schemas) }, { dryRun: true });
      }
      await requireTrustedRun(ctx, runner, construct, projectConstruct);
      const outcome = await runPhases(runner, request, setup);
      const error = toRunError(outcome, ctx.commandWith);
      if (error) throw error;
      const primary = outcome.redactor.value(outcome.executed[0]?.outcome.result.outputs.primary ?? null);
      const printed = typeof primary === 'string' ? primary : primary === null ? '' : JSON.stringify(primary);
      const { task, warnings } = await recordRun(ctx, outcome, construct, resume);
      return answer(
        { run: toRunResult(outcome, task), ...(raw ? { printed } : { primary }) },
        { warnings: [...listRunWarnings(outcome), ...warnings] },
      );
    } finally {
      setup.stop();
    }
  },
});

/** The construct of the project, if its manifest exists and is valid. */
async function readProjectConstruct(ctx: JobContext, runner: RunnerPlatform): Promise<Construct | undefined> {
  const file = manifestNames.find((path) => runner.statFile(path) !== undefined);
  if (file === undefined) return undefined;
  return (await readConstructManifest(ctx, undefined, file)).construct;
}
