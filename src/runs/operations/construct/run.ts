import { description, maxLength, metadata, optional, pipe, strictObject, string } from 'valibot';
import { runPhases } from '../../runner/run.ts';
import '../../errors/skill.ts';
import { answer, type JobContext, job } from '#core/define.ts';
import { nearest } from '#lib/nearest.ts';
import { SkillName } from '#skills/operations/show.ts';
import { showCommand } from '../../errors/run-commands.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import { singleSkill } from '../../rules/construct/single.ts';
import { requestOf } from '../shared/begin.ts';
import { ConstructFile, lineOf, manifestOf, runnable } from '../shared/manifest.ts';
import { leave, RunShape, runRefusal, runView, saidOf } from '../shared/outcome.ts';
import { resumed } from '../shared/resume.ts';
import { readsInput, runParams } from '../shared/run-params.ts';
import { surroundingsOf } from '../shared/surroundings.ts';

const PhaseName = (about: string) =>
  optional(pipe(string(), maxLength(64, 'must have at most 64 characters'), description(about), metadata({ value: 'PHASE' })));

export const constructRun = job({
  name: 'construct.run',
  summary: 'Run the phases of a construct: gates, skills, handoffs, with a trace of everything',
  params: strictObject({
    file: ConstructFile,
    ...runParams,
    phase: PhaseName('Only this phase'),
    skill: optional(pipe(SkillName, description('Only this skill; a pack, which has no phases, needs one'), metadata({ value: 'SKILL' }))),
    from: PhaseName('From this phase on'),
  }),
  result: strictObject({ run: RunShape }),
  errors: ['E_SKILL'],
  tier: 1,
  scope: 'admin',
  exits: 'skill',
  progress: async () => (await import('../../rules/narration.ts')).runNarration,
  redactedParams: ['input', 'intent'],
  cli: { command: 'construct run', args: ['file'], read: readsInput },
  example: { world: ['construct'], call: { dryRun: true } },
  async run(ctx, { file, phase, from, skill: named, dryRun: isDry, resume: run, ...given }) {
    const resume = run === undefined ? undefined : resumed(ctx, await ctx.platform.ground(ctx.project), run, 'construct');
    const manifest = await manifestOf(ctx, file, resume?.construct?.file);
    const skill = named ?? resume?.asked.skill ?? undefined;
    const whole = runnable(manifest, skill !== undefined);
    const construct = skill === undefined ? whole : onlySkill(whole, skill);
    if (construct.phases.length === 0)
      throw skillRefusal(78, `${manifest.file} has no phases: there is nothing to run`, showCommand(manifest.file));
    const { ground } = manifest;
    const phases = phasesOf(ctx, construct, { phase, from }, resume?.asked.phases);
    const request = await requestOf(ctx, ground, construct, { ...given, resume, skill }, phases, 'construct');
    const warnings = manifest.findings.map(lineOf);
    const surroundings = await surroundingsOf(ctx, ground, construct, manifest.schemas);
    try {
      if (isDry)
        return answer(
          { run: await (await import('../shared/dry-run.ts')).dryRun(ground, request, surroundings) },
          { warnings, dryRun: true },
        );
      const outcome = await runPhases(ground, request, surroundings);
      const refusal = runRefusal(outcome, ctx.commandWith);
      if (refusal) throw refusal;
      const linked = await leave(ctx, outcome, construct, resume);
      return answer({ run: runView(outcome, linked.task) }, { warnings: [...warnings, ...saidOf(outcome), ...linked.warnings] });
    } finally {
      surroundings.stop();
    }
  },
});

/** The phases that have the skill, with it alone; in a pack it is a phase of its own. One of its skills completes no stage. */
function onlySkill({ lifecycleStage: _, ...construct }: Construct, name: string): Construct {
  const names = construct.skills.map((one) => one.name);
  const phases = construct.phases.filter(({ skills }) => skills.includes(name)).map((phase) => ({ ...phase, skills: [name] }));
  if (phases.length > 0) return { ...construct, phases };
  if (names.includes(name)) return { ...singleSkill(name, construct, {}), file: construct.file, sha256: construct.sha256 };
  const [meant] = nearest(name, names, 1);
  throw skillRefusal(64, `there is no skill ${JSON.stringify(name)} in ${construct.file}`, showCommand(construct.file), {
    skills: names,
    ...(meant ? { meant } : {}),
  });
}

function phasesOf(
  { commandWith }: JobContext,
  { phases, file }: Construct,
  { phase, from }: { phase: string | undefined; from: string | undefined },
  before: string[] | undefined,
): string[] {
  const names = phases.map(({ name }) => name);
  for (const [flag, name] of Object.entries({ phase, from }))
    if (name !== undefined && !names.includes(name)) {
      const [meant] = nearest(name, names, 1);
      const fix = meant ? commandWith({ [flag]: meant }) : showCommand(file);
      throw skillRefusal(64, `there is no phase ${JSON.stringify(name)}`, fix, { phases: names, ...(meant ? { meant } : {}) });
    }
  if (phase !== undefined) return [phase];
  if (from !== undefined) return names.slice(names.indexOf(from));
  return before === undefined ? names : names.filter((name) => before.includes(name));
}
