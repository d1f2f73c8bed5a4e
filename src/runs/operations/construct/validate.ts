import { answer, query } from '#core/define.ts';
import '../../errors/skill.ts';
import { array, boolean, number, optional, picklist, strictObject, string } from 'valibot';
import { createSkillError } from '../../errors/skill.ts';
import { ConstructPath, formatFinding, readConstructManifest } from '../shared/run-request.ts';

const FindingShape = strictObject({
  severity: picklist(['error', 'warning']),
  where: string(),
  line: optional(number()),
  column: optional(number()),
  problem: string(),
  fix: optional(string()),
});

export const constructValidate = query({
  name: 'construct.validate',
  summary: 'Validate a construct manifest',
  params: strictObject({ file: ConstructPath }),
  result: strictObject({
    validation: strictObject({
      file: string(),
      kind: picklist(['construct', 'pack', 'other']),
      valid: boolean(),
      findings: array(FindingShape),
    }),
  }),
  errors: ['E_SKILL'],
  tier: 1,
  needs: 'project',
  exitNamespace: 'skill',
  cli: { command: 'construct validate', args: ['file'], view: async () => (await import('../../view.ts')).checkView },
  example: { world: ['construct'], call: {} },
  async run(ctx, { file: path }) {
    const { construct, findings, kind, file } = await readConstructManifest(ctx, path);
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (!construct)
      throw createSkillError(78, `${file}: ${formatFinding(errors[0]!)}`, `cleo help construct validate`, { file, kind, findings });
    return answer({ validation: { file, kind, valid: true, findings } }, { warnings: findings.map(formatFinding) });
  },
});
