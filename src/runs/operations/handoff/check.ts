import { array, boolean, description, maxLength, number, optional, pipe, record, strictObject, string, unknown } from 'valibot';
import { lookoutOf } from '../../runner/found.ts';
import { handoffOf } from '../../runner/preconditions.ts';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { nearest } from '#lib/nearest.ts';
import { skillRefusal } from '../../errors/skill.ts';
import { checkVariables, projectName, varsOf } from '../shared/begin.ts';
import { ConstructFile, manifestOf, runnable } from '../shared/manifest.ts';
import { runParams } from '../shared/run-params.ts';

const PhaseName = (about: string) => pipe(string(), maxLength(64, 'must have at most 64 characters'), description(about));

export const handoffCheck = query({
  name: 'handoff.check',
  summary: 'Say whether what one phase leaves is what the next can begin with',
  params: strictObject({
    from: PhaseName('The phase that hands on'),
    to: PhaseName('The phase that receives'),
    file: ConstructFile,
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
  exits: 'skill',
  cli: { command: 'handoff check', args: ['from', 'to', 'file'] },
  example: { world: ['construct'], call: { from: 'discovery', to: 'design' } },
  async run(ctx, { from, to, file, project, var: given }) {
    const manifest = await manifestOf(ctx, file);
    const construct = runnable(manifest);
    const spec = construct.handoffs.find((one) => one.from === from && one.to === to);
    if (!spec) {
      const pairs = construct.handoffs.map((one) => `${one.from} ${one.to}`);
      const [meant] = nearest(`${from} ${to}`, pairs, 1);
      throw skillRefusal(
        64,
        `nothing is said of a handoff from ${from} to ${to}`,
        meant ? `cleo handoff check ${meant}` : 'cleo construct show',
        { handoffs: pairs },
      );
    }
    const { ground, schemas } = manifest;
    const vars = varsOf(ctx, given ?? []);
    checkVariables(ctx, { construct: { ...construct, phases: [], handoffs: [spec] }, vars });
    const request = { construct, project: projectName(ctx, project || ctx.config['assessment.project'] || construct.name), vars };
    const scene = {
      ground,
      lookout: lookoutOf(ground, schemas),
      left: new Map(),
      record: { run_id: 'check', started_at: ground.now() },
      request: request as never,
    };
    const { accepted, artifacts, validation, rejection_reason, remediation } = handoffOf(scene, spec);
    const view = {
      ...{ from, to, accepted, ...(validation.completeness === null ? {} : { completeness: validation.completeness }) },
      provided: artifacts.provided.map(({ path, size_bytes, completeness }) => ({
        path,
        size: size_bytes,
        ...(completeness === null ? {} : { completeness }),
      })),
      ...{ missing: artifacts.missing, extra: artifacts.extra, warnings: validation.warnings },
    };
    if (!accepted)
      throw skillRefusal(80, rejection_reason ?? 'refused', ctx.commandAs(['construct', 'run', manifest.file, '--from', from]), {
        handoff: view,
        ...(remediation ? { remediation } : {}),
      });
    return answer({ handoff: view }, { warnings: validation.warnings });
  },
});
