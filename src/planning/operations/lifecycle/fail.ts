import { optional, strictObject, string } from 'valibot';
import { mutation } from '#core/define.ts';
import { Reason } from '#core/model/scalars.ts';
import { StageSchema } from '../../model/lifecycle.ts';
import { changeStage, EpicId, epicAliases, StageParam } from '../shared/stages.ts';

export const lifecycleFail = mutation({
  name: 'lifecycle.fail',
  summary: 'Mark a stage of an epic as failed',
  params: strictObject({ epicId: EpicId, stage: StageParam, reason: optional(Reason) }),
  paramAliases: epicAliases,
  result: strictObject({ stage: StageSchema, epicId: string() }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_LIFECYCLE_TRANSITION_INVALID', 'E_TASK_NOT_IN_SCOPE'],
  tier: 2,
  cli: { command: 'lifecycle fail', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic', 'stage T001 research active'], call: { epicId: 'T001', stage: 'research', reason: 'No data available' } },
  run: (ctx, params) => changeStage(ctx, params, 'fail'),
});
