import { array, number, optional, picklist, record, strictObject, string, unknown } from 'valibot';
import '../../errors/skill.ts';
import type { SkillSpec } from '../../model/construct.ts';
import { skillCommand } from '../../rules/skill-command.ts';
import { answer, query } from '../define.ts';
import { ConstructFile, lineOf, manifestOf, runnable } from './manifest.ts';

export const constructShow = query({
  name: 'construct.show',
  summary: 'Show what a construct.yaml comes to: phases, paths, checks, limits',
  params: strictObject({ file: ConstructFile }),
  result: strictObject({
    construct: strictObject({
      file: string(),
      kind: picklist(['construct', 'pack', 'other']),
      name: string(),
      version: string(),
      type: string(),
      phases: array(
        strictObject({
          name: string(),
          skills: array(strictObject({ name: string(), found: optional(string()), runs: optional(string()), lack: optional(string()) })),
          inputs: array(record(string(), unknown())),
          outputs: array(record(string(), unknown())),
          checks: array(string()),
          timeoutMs: number(),
          maxRetries: number(),
        }),
      ),
      handoffs: array(strictObject({ from: string(), to: string(), required: array(string()), onFailure: string() })),
      skills: array(string()),
    }),
  }),
  errors: ['E_SKILL'],
  tier: 1,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'construct show', args: ['file'] },
  example: { call: {}, exit: 78 },
  async run(here, { file: asked }) {
    const manifest = await manifestOf(here, asked);
    const construct = runnable(manifest, true);
    const skill = async (name: string) => {
      const spec: Pick<SkillSpec, 'name' | 'path' | 'run'> = construct.skills.find((one) => one.name === name) ?? { name };
      const found = await manifest.ground.findSkill(name, spec.path);
      const command = skillCommand(spec, found, construct.executor);
      return {
        name,
        ...(found.folder ? { found: found.folder } : {}),
        ...('argv' in command
          ? { runs: command.argv.map((word) => word.replace(`${manifest.ground.root}/`, '')).join(' ') }
          : { lack: command.problem }),
      };
    };
    return answer(
      {
        construct: {
          ...{ file: manifest.file, kind: manifest.kind, name: construct.name, version: construct.version, type: construct.type },
          phases: await Promise.all(
            construct.phases.map(async (phase) => ({
              name: phase.name,
              skills: await Promise.all(phase.skills.map(skill)),
              inputs: phase.inputs.map(said),
              outputs: phase.outputs.map(said),
              checks: [...phase.gates.precondition.checks, ...phase.gates.output.checks].map(({ name }) => name),
              timeoutMs: phase.timeoutMs,
              maxRetries: phase.maxRetries,
            })),
          ),
          handoffs: construct.handoffs.map(({ from, to, required, onFailure }) => ({
            from,
            to,
            required: required.map(({ path }) => path),
            onFailure,
          })),
          skills: construct.skills.map(({ name }) => name),
        },
      },
      { warnings: manifest.findings.map(lineOf) },
    );
  },
});

/** Without what was not said. */
const said = (spec: object): Record<string, unknown> => Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null));
