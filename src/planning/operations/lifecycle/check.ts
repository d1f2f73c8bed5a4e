import { array, boolean, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { EnforcementSchema, StageNameSchema } from '../../model/lifecycle.ts';
import { findMissingStages } from '../../rules/lifecycle.ts';
import { checkStageGate, epicAliases, requireEpic, stageParams } from '../shared/stages.ts';

export const lifecycleCheck = query({
  name: 'lifecycle.check',
  summary: 'Check whether an epic may enter a stage',
  params: strictObject(stageParams),
  paramAliases: epicAliases,
  result: strictObject({
    gate: strictObject({
      epicId: string(),
      stage: StageNameSchema,
      mode: EnforcementSchema,
      isOpen: boolean(),
      missing: array(StageNameSchema),
    }),
  }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_LIFECYCLE_GATE_FAILED'],
  tier: 2,
  cli: { command: 'lifecycle check', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic'], call: { epicId: 'T001', stage: 'research' } },
  async run(ctx, { epicId, stage }) {
    const { store, config, commandWith } = ctx;
    await requireEpic(store, epicId, commandWith);
    const stages = await store.lifecycle.listStages(epicId);
    const mode = config['lifecycleEnforcement.mode'];
    const warnings = await checkStageGate(ctx, epicId, stages, stage, mode);
    return answer({ gate: { epicId, stage, mode, isOpen: true, missing: findMissingStages(stages, stage) } }, { warnings });
  },
});
