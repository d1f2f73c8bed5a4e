import type { InferOutput } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Ancestor } from '#store/port/tasks.ts';
import type { StageReadySchema } from '../../model/task.ts';

/** Finds the active stage that a completed task was the last open task of, with the command that completes it. Projects that do not
 *  enforce stages get none. `ancestry` is that of the task, if it is known. */
export async function findReadyStage(
  ctx: Pick<QueryContext, 'store' | 'platform' | 'config' | 'commandAs'>,
  taskId: TaskId,
  ancestry?: Ancestor[],
): Promise<InferOutput<typeof StageReadySchema> | undefined> {
  if (ctx.config['lifecycleEnforcement.mode'] === 'off') return undefined;
  const { findStageToComplete } = await import('#planning/operations/shared/stage-work.ts');
  const ready = await findStageToComplete(ctx, taskId, ancestry);
  return ready && { ...ready, command: ctx.commandAs(['lifecycle', 'complete', ready.epicId, ready.stage]) };
}
