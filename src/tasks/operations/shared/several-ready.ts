import type { InferOutput } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { removeDuplicates } from '#lib/collections.ts';
import type { StageReadySchema, TaskRecord } from '../../model/task.ts';
import { findReadyStage } from './ready-stage.ts';

type ReadyStage = InferOutput<typeof StageReadySchema>;

/** Lists the parents whose last open child one of these results closed, except parents that the same call closed. */
export const listReadyParents = (results: { parentReady?: TaskId | undefined }[], closed: Set<TaskId>): TaskId[] =>
  removeDuplicates(results.flatMap(({ parentReady }) => parentReady ?? [])).filter((id) => !closed.has(id));

/** Lists the active stages whose last open task is one of these closed tasks. */
export async function listReadyStages(ctx: MutationContext, tasks: TaskRecord[]): Promise<ReadyStage[]> {
  const ready = new Map<string, ReadyStage>();
  for (const { id } of tasks) {
    const stage = await findReadyStage(ctx, id);
    if (stage) ready.set(stage.command, stage);
  }
  return [...ready.values()];
}
