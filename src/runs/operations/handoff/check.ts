import { array, boolean, description, maxLength, number, optional, pipe, record, strictObject, string, unknown } from 'valibot';
import { answer, query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { createSkillError } from '../../errors/skill.ts';
import { createHandoff } from '../../runner/handoffs.ts';
import { createPreviewContext } from '../../runner/preview.ts';
import {
  ConstructPath,
  checkProjectName,
  checkVariables,
  parseVars,
  readConstructManifest,
  requireConstruct,
  runParams,
} from '../shared/run-request.ts';

const PhaseName = (about: string) => pipe(string(), maxLength(64, 'must have at most 64 characters'), description(about));

export const handoffCheck = query({
  name: 'handoff.check',
  summary: 'Check the handoff between two phases',
  params: strictObject({
    from: PhaseName('Phase that provides the artifacts'),
    to: PhaseName('Phase that receives them'),
    file: ConstructPath,
    project: runParams.project,
    var: runParams.var,
  }),
  result: strictObject({
    handoff: strictObject({
      from: string(),
      to: string(),
      accepted: boolean(),
      completeness: optional(number()),
      provided: array(record(string(), unknown())),
      missing: array(string()),
      extra: array(string()),
      warnings: array(string()),
    }),
  }),
  errors: ['E_SKILL'],
  tier: 1,
  needs: 'project',
  exitNamespace: 'skill',
  cli: { command: 'handoff check', args: ['from', 'to', 'file'], view: async () => (await import('../../view.ts')).checkView },
  example: { world: ['construct'], call: { from: 'discovery', to: 'design' } },
  async run(ctx, { from, to, file, project, var: given }) {
    const manifest = await readConstructManifest(ctx, file);
    const construct = requireConstruct(manifest);
    const spec = construct.handoffs.find((one) => one.from === from && one.to === to);
    if (!spec) {
      const pairs = construct.handoffs.map((one) => `${one.from} ${one.to}`);
      const [nearest] = findNearest(`${from} ${to}`, pairs, 1);
      const fix = nearest ? `cleo handoff check ${nearest}` : 'cleo construct show';
      throw createSkillError(64, `the manifest declares no handoff from ${from} to ${to}`, fix, { handoffs: pairs });
    }
    const { runner, schemas } = manifest;
    const vars = parseVars(ctx, given ?? []);
    checkVariables(ctx, { construct: { ...construct, phases: [], handoffs: [spec] }, vars });
    const projectName = checkProjectName(ctx, project || ctx.config['assessment.project'] || construct.name);
    await schemas.prepare({ phases: construct.phases.filter(({ name }) => name === from), handoffs: [spec] });
    const run = createPreviewContext(runner, { construct, project: projectName, vars }, schemas, 'check');
    const { accepted, artifacts, validation, rejection_reason, remediation } = createHandoff(run, spec, new Map());
    const view = {
      from,
      to,
      accepted,
      ...defined({ completeness: validation.completeness ?? undefined }),
      provided: artifacts.provided.map(({ path, size_bytes, completeness }) => ({
        path,
        size: size_bytes,
        ...defined({ completeness: completeness ?? undefined }),
      })),
      missing: artifacts.missing,
      extra: artifacts.extra,
      warnings: validation.warnings,
    };
    if (!accepted)
      throw createSkillError(80, rejection_reason ?? 'rejected', ctx.commandAs(['construct', 'run', manifest.file, '--from', from]), {
        handoff: view,
        ...defined({ remediation: remediation ?? undefined }),
      });
    return answer({ handoff: view }, { warnings: validation.warnings });
  },
});
