import { description, maxLength, metadata, optional, pipe, strictObject, string } from 'valibot';
import { runPhases } from '../../assessment/run.ts';
import '../../errors/skill.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import { nearest } from '../../rules/nearest.ts';
import { answer, job } from '../define.ts';
import { requestOf } from './begin.ts';
import { dryRun } from './dry-run.ts';
import { ConstructFile, lineOf, manifestOf, runnable } from './manifest.ts';
import { leave, RunShape, runRefusal, runView } from './outcome.ts';
import { readsInput, runParams } from './run-params.ts';
import { surroundingsOf } from './surroundings.ts';

const PhaseName = (about: string) =>
  optional(pipe(string(), maxLength(64, 'must have at most 64 characters'), description(about), metadata({ value: 'PHASE' })));

export const constructRun = job({
  name: 'construct.run',
  summary: 'Run the phases of a construct: gates, skills, handoffs, with a trace of everything',
  params: strictObject({
    file: ConstructFile,
    ...runParams,
    phase: PhaseName('Only this phase'),
    from: PhaseName('From this phase on'),
  }),
  result: strictObject({ run: RunShape }),
  errors: ['E_SKILL'],
  tier: 1,
  scope: 'admin',
  exits: 'skill',
  live: async () => (await import('../../rules/narration.ts')).runNarration,
  veils: ['input', 'intent'],
  cli: { command: 'construct run', args: ['file'], read: readsInput },
  example: { call: {}, exit: 78 },
  async run(here, { file: asked, phase, from, dryRun: isDry, ...given }) {
    const manifest = await manifestOf(here, asked);
    const construct = runnable(manifest);
    const { ground } = manifest;
    const request = await requestOf(here, ground, construct, given, phasesOf(construct, phase, from), 'construct');
    const warnings = manifest.findings.map(lineOf);
    const surroundings = await surroundingsOf(here, ground, construct, manifest.schemas);
    try {
      if (isDry) return answer({ run: await dryRun(ground, request, surroundings) }, { warnings, dryRun: true });
      const outcome = await runPhases(ground, request, surroundings);
      const refusal = runRefusal(outcome, (words) => here.commandAs(['construct', 'run', manifest.file, ...words]));
      if (refusal) throw refusal;
      const linked = await leave(here, outcome, construct, given.resume);
      return answer({ run: runView(outcome, linked.task) }, { warnings: [...warnings, ...linked.warnings] });
    } finally {
      surroundings.stop();
    }
  },
});

function phasesOf({ phases }: Construct, only: string | undefined, from: string | undefined): string[] {
  const names = phases.map(({ name }) => name);
  for (const name of [only, from])
    if (name !== undefined && !names.includes(name)) {
      const [meant] = nearest(name, names, 1);
      throw skillRefusal(64, `there is no phase ${JSON.stringify(name)}`, `cleo construct show`, {
        phases: names,
        ...(meant ? { meant } : {}),
      });
    }
  if (only !== undefined) return [only];
  return from === undefined ? names : names.slice(names.indexOf(from));
}
