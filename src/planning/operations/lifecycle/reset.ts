import { mutation } from '#core/define.ts';
import { changeStage, stageChange } from '../shared/stages.ts';

export const lifecycleReset = mutation({
  name: 'lifecycle.reset',
  summary: 'Reset a stage of an epic to pending',
  ...stageChange,
  cli: { command: 'lifecycle reset', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic', 'stage T001 research skipped'], call: { epicId: 'T001', stage: 'research' } },
  run: (ctx, params) => changeStage(ctx, params, 'reset'),
});
