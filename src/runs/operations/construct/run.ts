import { description, maxLength, metadata, optional, pipe, strictObject, string } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import { SkillName } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { createSkillError, showConstructCommand } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import { runPhases } from '../../runner/run.ts';
import {
  ConstructPath,
  createRunRequest,
  createRunSetup,
  forceScope,
  formatFinding,
  readConstructManifest,
  readsInput,
  requireConstruct,
  requireTrustedRun,
  runParams,
} from '../shared/run-request.ts';
import { listRunWarnings, RunShape, recordRun, toRunError, toRunResult } from '../shared/run-result.ts';
import { taskLinkSteps } from '../shared/task-link-steps.ts';

const PhaseName = (about: string) =>
  optional(pipe(string(), maxLength(64, 'must have at most 64 characters'), description(about), metadata({ value: 'PHASE' })));

export const constructRun = job({
  name: 'construct.run',
  summary: 'Run the phases of a construct and trace every step',
  params: strictObject({
    file: ConstructPath,
    ...runParams,
    phase: PhaseName('Run only this phase'),
    skill: optional(
      pipe(SkillName, description('Run only this skill; required for a pack, which has no phases'), metadata({ value: 'SKILL' })),
    ),
    from: PhaseName('Start with this phase'),
  }),
  result: strictObject({ run: RunShape }),
  errors: ['E_SKILL'],
  tier: 1,
  steps: taskLinkSteps,
  usesHost: true,
  scope: forceScope,
  exitNamespace: 'skill',
  progress: async () => (await import('../../rules/run-progress.ts')).runProgress,
  redactedParams: ['input', 'intent'],
  shares: ['runs', 'reviews', 'prunedRuns', 'scores'],
  cli: { command: 'construct run', args: ['file'], read: readsInput, view: async () => (await import('../../view.ts')).runView },
  example: { world: ['construct'], call: { dryRun: true } },
  async run(ctx, { file, phase, from, skill: named, dryRun, resume: resumeName, ...params }) {
    const resume =
      resumeName === undefined
        ? undefined
        : (await import('../shared/resume-request.ts')).findResumableRun(
            ctx,
            await ctx.platform.createRunner(ctx.project),
            resumeName,
            'construct',
          );
    const manifest = await readConstructManifest(ctx, file, resume?.construct?.file);
    const skill = named ?? resume?.asked.skill ?? undefined;
    const declared = requireConstruct(manifest, skill !== undefined);
    const construct = skill === undefined ? declared : await selectSkill(declared, skill);
    if (construct.phases.length === 0)
      throw createSkillError(78, `${manifest.file} has no phases to run`, showConstructCommand(manifest.file));
    const { runner, schemas } = manifest;
    const phases = selectPhases(ctx, construct, { phase, from }, resume?.asked.phases);
    const request = await createRunRequest(ctx, runner, construct, { ...params, resume, skill }, phases, 'construct');
    const warnings = manifest.findings.map(formatFinding);
    const setup = await createRunSetup(ctx, runner, construct, schemas);
    try {
      if (dryRun) {
        const { previewRun } = await import('../shared/dry-run.ts');
        return answer({ run: await previewRun(runner, request, schemas) }, { warnings, dryRun: true });
      }
      await requireTrustedRun(ctx, runner, construct);
      const outcome = await runPhases(runner, request, setup);
      const error = toRunError(outcome, ctx.commandWith);
      if (error) throw error;
      const link = await recordRun(ctx, outcome, construct, resume);
      return answer({ run: toRunResult(outcome, link.task) }, { warnings: [...warnings, ...listRunWarnings(outcome), ...link.warnings] });
    } finally {
      setup.stop();
    }
  },
});

/** Reduces a construct to one skill, in the phases that have it. A skill of a pack gets a phase of its own. One skill does not complete the
 *  lifecycle stage of the construct. */
async function selectSkill({ lifecycleStage: _, ...construct }: Construct, name: string): Promise<Construct> {
  const { file, sha256 } = construct;
  const skills = construct.skills.map((skill) => skill.name);
  const phases = construct.phases.filter((phase) => phase.skills.includes(name)).map((phase) => ({ ...phase, skills: [name] }));
  if (phases.length > 0) return { ...construct, phases };
  if (skills.includes(name)) {
    const { createSkillConstruct } = await import('../../rules/construct/single-skill.ts');
    return { ...createSkillConstruct(name, construct, {}), file, sha256 };
  }
  const [meant] = findNearest(name, skills, 1);
  const problem = `there is no skill ${JSON.stringify(name)} in ${file}`;
  throw createSkillError(64, problem, showConstructCommand(file), { skills, ...defined({ meant }) });
}

/** The phases to run: those that --phase or --from select, else those of the resumed run, else all. */
function selectPhases(
  { commandWith }: JobContext,
  { phases, file }: Construct,
  { phase, from }: { phase: string | undefined; from: string | undefined },
  resumed: string[] | undefined,
): string[] {
  const names = phases.map(({ name }) => name);
  for (const [flag, name] of Object.entries({ phase, from }))
    if (name !== undefined && !names.includes(name)) {
      const [meant] = findNearest(name, names, 1);
      const fix = meant ? commandWith({ [flag]: meant }) : showConstructCommand(file);
      throw createSkillError(64, `there is no phase ${JSON.stringify(name)}`, fix, { phases: names, ...defined({ meant }) });
    }
  if (phase !== undefined) return [phase];
  if (from !== undefined) return names.slice(names.indexOf(from));
  return resumed === undefined ? names : names.filter((name) => resumed.includes(name));
}
