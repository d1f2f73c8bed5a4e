import { mutation } from '#core/define.ts';
import { changeStage, stageChange } from '../shared/stages.ts';

export const lifecycleFail = mutation({
  name: 'lifecycle.fail',
  summary: 'Mark a stage of an epic as failed',
  ...stageChange,
  cli: { command: 'lifecycle fail', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic', 'stage T001 research active'], call: { epicId: 'T001', stage: 'research', reason: 'No data available' } },
  run: (ctx, params) => changeStage(ctx, params, 'fail'),
});
