import { array, boolean, number, optional, picklist, strictObject, string } from 'valibot';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { skillRefusal } from '../../errors/skill.ts';
import { ConstructFile, lineOf, manifestOf } from '../shared/manifest.ts';

export const FindingShape = strictObject({
  severity: picklist(['error', 'warning']),
  where: string(),
  line: optional(number()),
  column: optional(number()),
  problem: string(),
  fix: optional(string()),
});

export const constructValidate = query({
  name: 'construct.validate',
  summary: 'Check a construct.yaml, without running anything',
  params: strictObject({ file: ConstructFile }),
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
  exits: 'skill',
  cli: { command: 'construct validate', args: ['file'] },
  example: { world: ['construct'], call: {} },
  async run(ctx, { file: asked }) {
    const { construct, findings, kind, file } = await manifestOf(ctx, asked);
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (!construct) throw skillRefusal(78, `${file}: ${lineOf(errors[0]!)}`, `cleo help construct validate`, { file, kind, findings });
    return answer({ validation: { file, kind, valid: true, findings } }, { warnings: findings.map(lineOf) });
  },
});
