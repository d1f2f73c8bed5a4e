import { array, optional, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { EnforcementSchema, StageNameSchema, StageSchema } from '../../model/lifecycle.ts';
import { isOpenStage, listStages } from '../../rules/lifecycle.ts';
import { EpicId, epicAliases, requireEpic } from '../shared/stages.ts';

export const lifecycleStatus = query({
  name: 'lifecycle.status',
  summary: 'Show the stages of an epic',
  params: strictObject({ epicId: EpicId }),
  paramAliases: epicAliases,
  result: strictObject({
    lifecycle: strictObject({
      epicId: string(),
      mode: EnforcementSchema,
      /** The first stage that is neither completed nor skipped. */
      current: optional(StageNameSchema),
      stages: array(StageSchema),
    }),
  }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION'],
  tier: 2,
  cli: { command: ['lifecycle status', 'lifecycle show'], args: ['epicId'] },
  example: { world: ['T001 epic'], call: { epicId: 'T001' } },
  async run({ store, config, commandWith }, { epicId }) {
    await requireEpic(store, epicId, commandWith);
    const stages = listStages(await store.lifecycle.listStages(epicId));
    const current = stages.find(isOpenStage)?.stage;
    return { lifecycle: { epicId, mode: config['lifecycleEnforcement.mode'], ...defined({ current }), stages } };
  },
});
