import { strictObject, string } from 'valibot';
import { answer, mutation, noChange } from '#core/define.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { type Stage, StageSchema } from '../../model/lifecycle.ts';
import { EpicId, enterStage, epicAliases, readStage, requireEpic, StageParam } from '../shared/stages.ts';

export const lifecycleStart = mutation({
  name: 'lifecycle.start',
  summary: 'Enter a stage of an epic',
  params: strictObject({ epicId: EpicId, stage: StageParam }),
  paramAliases: epicAliases,
  result: strictObject({ stage: StageSchema, epicId: string() }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_LIFECYCLE_GATE_FAILED', 'E_LIFECYCLE_TRANSITION_INVALID', 'E_TASK_NOT_IN_SCOPE'],
  tier: 2,
  cli: { command: 'lifecycle start', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic'], call: { epicId: 'T001', stage: 'research' } },
  async run(ctx, { epicId, stage }) {
    const { store, config, now, caller } = ctx;
    await requireEpic(store, epicId, ctx.commandWith);
    await checkScope(ctx, epicId);
    const started: Stage = { stage, status: 'active', by: caller.agent, at: now };
    const warnings = await enterStage(store, epicId, started, config['lifecycleEnforcement.mode']);
    if (!warnings) return noChange({ stage: (await readStage(store, epicId, stage)).current, epicId });
    return answer({ stage: started, epicId }, { warnings });
  },
});
