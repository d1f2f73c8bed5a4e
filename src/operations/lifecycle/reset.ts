import { optional, strictObject, string } from 'valibot';
import { Stage } from '../../model/lifecycle.ts';
import { Reason } from '../../model/scalars.ts';
import { checkStageMove } from '../../rules/lifecycle.ts';
import { mutation, noChange } from '../define.ts';
import { checkScope } from '../tasks/scope.ts';
import { EpicId, epicNames, requireEpic, StageParam, stageNow } from './stages.ts';

export const lifecycleReset = mutation({
  name: 'lifecycle.reset',
  summary: 'Make a stage of an epic pending again',
  params: strictObject({ epicId: EpicId, stage: StageParam, reason: optional(Reason) }),
  also: epicNames,
  result: strictObject({ stage: Stage, epicId: string() }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_LIFECYCLE_TRANSITION_INVALID', 'E_TASK_NOT_IN_SCOPE'],
  tier: 2,
  cli: { command: 'lifecycle reset', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic', 'stage T001 research skipped'], call: { epicId: 'T001', stage: 'research' } },
  async run(here, { epicId, stage, reason }) {
    const { store, now, caller } = here;
    await requireEpic(store, epicId, here.commandWith);
    await checkScope(here, epicId);
    const { current } = await stageNow(store, epicId, stage);
    if (current.status === 'pending') return noChange({ stage: current, epicId });
    checkStageMove(epicId, current, 'reset');
    const pending: Stage = { stage, status: 'pending', by: caller.agent, at: now, ...(reason ? { reason } : {}) };
    await store.lifecycle.put(epicId, pending);
    return { stage: pending, epicId };
  },
});
