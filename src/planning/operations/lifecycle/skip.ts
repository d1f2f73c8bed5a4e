import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { mutation, noChange } from '#core/define.ts';
import { Reason } from '#core/model/texts.ts';
import { type Stage, StageNameSchema, StageSchema } from '../../model/lifecycle.ts';
import { checkStageMove, formatSkipReason, isOpenStage, listStages, listStagesBetween } from '../../rules/lifecycle.ts';
import { readEpicWork } from '../shared/stage-work.ts';
import { epicAliases, requireEpicInScope, stageParams } from '../shared/stages.ts';

export const lifecycleSkip = mutation({
  name: 'lifecycle.skip',
  summary: 'Skip one or more stages of an epic',
  params: strictObject({
    ...stageParams,
    through: optional(pipe(StageNameSchema, description('Skip the open stages up to and including this one'))),
    reason: optional(Reason),
  }),
  paramAliases: epicAliases,
  result: strictObject({ stages: array(StageSchema), epicId: string() }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_AUDIT_MISSING', 'E_LIFECYCLE_TRANSITION_INVALID', 'E_TASK_NOT_IN_SCOPE'],
  tier: 2,
  cli: { command: 'lifecycle skip', args: ['epicId', 'stage'] },
  dryRun: true,
  example: {
    world: ['T001 epic'],
    call: { epicId: 'T001', stage: 'research', through: 'decomposition', reason: 'A small change that everyone agrees on' },
  },
  async run(ctx, { epicId, stage, through = stage, reason }) {
    const { store, now, caller, commandWith } = ctx;
    await requireEpicInScope(ctx, epicId);
    if (!reason?.trim()) {
      const work = (await readEpicWork(ctx, epicId)).get(stage);
      throw new CleoError('E_AUDIT_MISSING', {
        problem: 'Skipping a stage needs a reason',
        fix: commandWith({ reason: formatSkipReason(epicId, work) }),
      });
    }
    const range = listStagesBetween(stage, through);
    if (range.length === 0)
      throw new CleoError('E_LIFECYCLE_TRANSITION_INVALID', {
        epicId,
        stage: through,
        status: `before ${stage}`,
        act: 'skipping backwards',
        fix: commandWith({ stage: through, through: stage }),
      });
    const current = listStages(await store.lifecycle.listStages(epicId)).filter((each) => range.includes(each.stage));
    const open = current.filter(isOpenStage);
    const [only] = current;
    // A single stage is checked like any other move; in a range, completed and skipped stages are passed over.
    if (open.length === 0 && only && range.length === 1 && only.status !== 'skipped') checkStageMove(epicId, only, 'skip');
    const stages = open.map((each): Stage => ({ stage: each.stage, status: 'skipped', by: caller.agent, at: now, reason }));
    for (const skipped of stages) await store.lifecycle.saveStage(epicId, skipped);
    return stages.length ? { stages, epicId } : noChange({ stages: current, epicId });
  },
});
