import { optional, strictObject, string } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { Reason } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { Stage } from '../../model/lifecycle.ts';
import { checkStageMove } from '../../rules/lifecycle.ts';
import { EpicId, epicAliases, readStage, requireEpic, StageParam } from '../shared/stages.ts';

export const lifecycleReset = mutation({
  name: 'lifecycle.reset',
  summary: 'Reset a stage of an epic to pending',
  params: strictObject({ epicId: EpicId, stage: StageParam, reason: optional(Reason) }),
  paramAliases: epicAliases,
  result: strictObject({ stage: Stage, epicId: string() }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_LIFECYCLE_TRANSITION_INVALID', 'E_TASK_NOT_IN_SCOPE'],
  tier: 2,
  cli: { command: 'lifecycle reset', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic', 'stage T001 research skipped'], call: { epicId: 'T001', stage: 'research' } },
  async run(ctx, { epicId, stage, reason }) {
    const { store, now, caller } = ctx;
    await requireEpic(store, epicId, ctx.commandWith);
    await checkScope(ctx, epicId);
    const { current } = await readStage(store, epicId, stage);
    if (current.status === 'pending') return noChange({ stage: current, epicId });
    checkStageMove(epicId, current, 'reset');
    const pending: Stage = { stage, status: 'pending', by: caller.agent, at: now, ...defined({ reason }) };
    await store.lifecycle.saveStage(epicId, pending);
    return { stage: pending, epicId };
  },
});
