import { strictObject } from 'valibot';
import { answer, mutation, noChange } from '#core/define.ts';
import type { Stage } from '../../model/lifecycle.ts';
import { enterStage, epicAliases, readStage, requireEpicInScope, StageResult, stageParams } from '../shared/stages.ts';

export const lifecycleStart = mutation({
  name: 'lifecycle.start',
  summary: 'Enter a stage of an epic',
  params: strictObject(stageParams),
  paramAliases: epicAliases,
  result: StageResult,
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_LIFECYCLE_GATE_FAILED', 'E_LIFECYCLE_TRANSITION_INVALID', 'E_TASK_NOT_IN_SCOPE'],
  tier: 2,
  cli: { command: 'lifecycle start', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic'], call: { epicId: 'T001', stage: 'research' } },
  async run(ctx, { epicId, stage }) {
    const { store, config, now, caller } = ctx;
    await requireEpicInScope(ctx, epicId);
    const started: Stage = { stage, status: 'active', by: caller.agent, at: now };
    const warnings = await enterStage(ctx, epicId, started, config['lifecycleEnforcement.mode']);
    if (!warnings) return noChange({ stage: (await readStage(store, epicId, stage)).current, epicId });
    return answer({ stage: started, epicId }, { warnings });
  },
});
