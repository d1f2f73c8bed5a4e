import { array, number, optional, picklist, record, strictObject, string, unknown } from 'valibot';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import type { ArtifactSpec, CheckSpec, SkillSpec } from '../../model/construct.ts';
import { expand } from '../../rules/construct/variables.ts';
import { skillCommand } from '../../rules/skill-command.ts';
import { ConstructFile, lineOf, manifestOf, runnable } from '../shared/manifest.ts';

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
      maxConcurrency: optional(number()),
      project: string(),
      phases: array(
        strictObject({
          name: string(),
          skills: array(
            strictObject({
              name: string(),
              found: optional(string()),
              runs: optional(string()),
              lack: optional(string()),
              timeoutMs: optional(number()),
              maxRetries: optional(number()),
            }),
          ),
          inputs: array(record(string(), unknown())),
          outputs: array(record(string(), unknown())),
          checks: array(string()),
          timeoutMs: number(),
          maxRetries: number(),
          retryOn: optional(array(string())),
          deadlineMs: optional(number()),
          killGraceMs: number(),
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
  example: { world: ['construct'], call: {} },
  async run(ctx, { file: asked }) {
    const manifest = await manifestOf(ctx, asked);
    const construct = runnable(manifest, true);
    const skill = async (name: string) => {
      const spec: Pick<SkillSpec, 'name' | 'path' | 'run' | 'timeoutMs' | 'maxRetries'> = construct.skills.find(
        (one) => one.name === name,
      ) ?? { name };
      const found = await manifest.ground.findSkill(name, spec.path);
      const command = skillCommand(spec, found, construct.executor);
      return {
        name,
        ...(found.folder ? { found: found.folder } : {}),
        ...('argv' in command
          ? { runs: command.argv.map((word) => word.replace(`${manifest.ground.root}/`, '')).join(' ') }
          : { lack: command.problem }),
        ...(spec.timeoutMs === undefined ? {} : { timeoutMs: spec.timeoutMs }),
        ...(spec.maxRetries === undefined ? {} : { maxRetries: spec.maxRetries }),
      };
    };
    // What is known before it runs; the rest stays in braces.
    const project = ctx.config['assessment.project'] || construct.name;
    const at = (phase: string) => (path: string) => expand(path, { project, phase });
    return answer(
      {
        construct: {
          ...{ file: manifest.file, kind: manifest.kind, name: construct.name, version: construct.version, type: construct.type },
          ...(construct.maxConcurrency === undefined ? {} : { maxConcurrency: construct.maxConcurrency }),
          project,
          phases: await Promise.all(
            construct.phases.map(async (phase) => ({
              name: phase.name,
              skills: await Promise.all(phase.skills.map(skill)),
              inputs: phase.inputs.map((spec) => said(spec, at(phase.name))),
              outputs: phase.outputs.map((spec) => said(spec, at(phase.name))),
              checks: [...phase.gates.precondition.checks, ...phase.gates.output.checks].map((check) => checkText(check, at(phase.name))),
              ...{ timeoutMs: phase.timeoutMs, maxRetries: phase.maxRetries, killGraceMs: phase.killGraceMs },
              ...(phase.maxRetries > 0 ? { retryOn: phase.retryOn } : {}),
              ...(phase.deadlineMs === undefined ? {} : { deadlineMs: phase.deadlineMs }),
            })),
          ),
          handoffs: construct.handoffs.map(({ from, to, required, onFailure }) => ({
            from,
            to,
            required: required.map(({ path }) => at(from)(path)),
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
const said = ({ path, ...spec }: ArtifactSpec, filledIn: (path: string) => string): Record<string, unknown> => ({
  path: filledIn(path),
  ...Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null)),
});

/** What is looked at, where its name does not tell. */
function checkText(check: CheckSpec, filledIn: (path: string) => string): string {
  switch (check.kind) {
    case 'exists':
      return `${check.name}: ${filledIn(check.path)}`;
    case 'completeness':
      return `${check.name}: ${filledIn(check.path)} (${check.schema}) at least ${check.min}`;
    case 'env':
      return `${check.name}: ${check.variable}`;
    case 'command':
      return `${check.name}: ${check.argv.join(' ')}`;
    default:
      return check.name;
  }
}
