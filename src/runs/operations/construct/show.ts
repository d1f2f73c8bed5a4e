import { answer, query } from '#core/define.ts';
import { omitEmpty } from '#lib/collections.ts';
import '../../errors/skill.ts';
import { array, number, optional, picklist, record, strictObject, string, unknown } from 'valibot';
import type { ArtifactSpec, CheckSpec, ExitCodeNames, SkillSpec } from '../../model/construct.ts';
import { expandVariables } from '../../rules/construct/conventions.ts';
import { explainExit, resolveSkillCommand } from '../../rules/skill-contract.ts';
import { ConstructPath, formatFinding, readConstructManifest, requireConstruct } from '../shared/run-request.ts';

const ExitCodesShape = record(string(), strictObject({ name: string(), class: string() }));

export const constructShow = query({
  name: 'construct.show',
  summary: 'Show the phases, paths, checks and limits of a construct',
  params: strictObject({ file: ConstructPath }),
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
          /** Exit codes that the contract of the phase declares. */
          exitCodes: optional(ExitCodesShape),
        }),
      ),
      handoffs: array(
        strictObject({
          from: string(),
          to: string(),
          required: array(string()),
          optional: optional(array(string())),
          /** Requirements of the required artifacts. */
          validation: optional(array(record(string(), unknown()))),
          onFailure: string(),
        }),
      ),
      /** Exit codes that the manifest renames for all phases. */
      exitCodes: optional(ExitCodesShape),
      skills: array(string()),
    }),
  }),
  errors: ['E_SKILL'],
  tier: 1,
  needs: 'project',
  exitNamespace: 'skill',
  cli: { command: 'construct show', args: ['file'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['construct'], call: {} },
  async run(ctx, { file: path }) {
    const manifest = await readConstructManifest(ctx, path);
    const construct = requireConstruct(manifest, true);
    const skill = async (name: string) => {
      const spec: Pick<SkillSpec, 'name' | 'path' | 'run' | 'timeoutMs' | 'maxRetries'> = construct.skills.find(
        (one) => one.name === name,
      ) ?? { name };
      const found = await manifest.runner.findSkill(name, spec.path);
      const command = resolveSkillCommand(spec, found, construct.executor);
      return {
        name,
        ...(found.folder ? { found: found.folder } : {}),
        ...('argv' in command
          ? { runs: command.argv.map((word) => word.replace(`${manifest.runner.root}/`, '')).join(' ') }
          : { lack: command.problem }),
        ...(spec.timeoutMs === undefined ? {} : { timeoutMs: spec.timeoutMs }),
        ...(spec.maxRetries === undefined ? {} : { maxRetries: spec.maxRetries }),
      };
    };
    // Other variables are known only when the construct runs and stay in braces.
    const project = ctx.config['assessment.project'] || construct.name;
    const at = (phase: string) => (path: string) => expandVariables(path, { project, phase });
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
              inputs: phase.inputs.map((spec) => showArtifact(spec, at(phase.name))),
              outputs: phase.outputs.map((spec) => showArtifact(spec, at(phase.name))),
              checks: [...phase.gates.precondition.checks, ...phase.gates.output.checks].map((check) => formatCheck(check, at(phase.name))),
              ...{ timeoutMs: phase.timeoutMs, maxRetries: phase.maxRetries, killGraceMs: phase.killGraceMs },
              ...(phase.maxRetries > 0 ? { retryOn: phase.retryOn } : {}),
              ...(phase.deadlineMs === undefined ? {} : { deadlineMs: phase.deadlineMs }),
              ...(phase.declaresExitCodes ? { exitCodes: showExitCodes(construct.exitCodes, phase.exitCodes) } : {}),
            })),
          ),
          handoffs: construct.handoffs.map(({ from, to, required, optional: others, onFailure }) => ({
            from,
            to,
            required: required.map(({ path }) => at(from)(path)),
            ...omitEmpty({
              optional: others.map(({ path }) => at(from)(path)),
              validation: required
                .map(({ required: _, ...spec }) => showArtifact(spec, at(from)))
                .filter((spec) => Object.keys(spec).length > 1),
            }),
            onFailure,
          })),
          ...(Object.keys(construct.exitCodes).length > 0 ? { exitCodes: showExitCodes(construct.exitCodes, construct.exitCodes) } : {}),
          skills: construct.skills.map(({ name }) => name),
        },
      },
      { warnings: manifest.findings.map(formatFinding) },
    );
  },
});

/** An artifact without its null fields. */
const showArtifact = (
  { path, ...spec }: Omit<ArtifactSpec, 'required'>,
  expandPath: (path: string) => string,
): Record<string, unknown> => ({
  path: expandPath(path),
  ...Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null)),
});

/** The names and classes of these exit codes. */
const showExitCodes = (all: ExitCodeNames, codes: ExitCodeNames): Record<string, { name: string; class: string }> =>
  Object.fromEntries(
    Object.keys(codes).map((code) => {
      const { name, class: exitClass } = explainExit(Number(code), all, codes);
      return [code, { name, class: exitClass }];
    }),
  );

/** A check with its arguments. */
function formatCheck(check: CheckSpec, expandPath: (path: string) => string): string {
  switch (check.kind) {
    case 'exists':
      return `${check.name}: ${expandPath(check.path)}`;
    case 'completeness':
      return `${check.name}: ${expandPath(check.path)} (${check.schema}) at least ${check.min}`;
    case 'env':
      return `${check.name}: ${check.variable}`;
    case 'command':
      return `${check.name}: ${check.argv.join(' ')}`;
    default:
      return check.name;
  }
}
