import type { MutationContext, QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { checkStageGate, enterStage, finishStage, readStage } from '#planning/operations/shared/stages.ts';
import { checkStageMove } from '#planning/rules/lifecycle.ts';
import type { ReadStore } from '#store/port/store.ts';
import { findListCommand } from '#tasks/operations/shared/list-command.ts';
import { createNotFoundError, requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { readVerification } from '#verification/operations/shared/verification.ts';
import { findNextGate } from '#verification/rules/gates.ts';
import { createSkillError } from '../../errors/skill.ts';
import type { TaskLink } from './run-result.ts';
import type { RunTaskRequest, TaskLinkRequest } from './task-link-steps.ts';

/** Returns the title of the task of a run. Throws if the run could not be linked to the task afterwards. */
export async function readRunTask(ctx: QueryContext, { id, stage }: RunTaskRequest): Promise<string> {
  const { store } = ctx;
  const task = await store.tasks.getHit(id);
  if (!task) throw await createNotFoundError(store, id);
  await checkScope(ctx, id);
  if (stage === undefined) return task.title;
  const epicId = await findEpic(store, id);
  if (epicId === undefined)
    throw createSkillError(
      80,
      `${id} does not belong to an epic whose stage ${stage} the construct could complete`,
      await findListCommand(store, 'epic'),
      {
        stage,
      },
    );
  await checkScope(ctx, epicId);
  const { known, current } = await readStage(store, epicId, stage);
  if (current.status === 'completed') return task.title;
  await checkStageGate(ctx, epicId, known, stage, ctx.config['lifecycleEnforcement.mode']);
  if (current.status !== 'active') checkStageMove(epicId, current, 'start');
  return task.title;
}

/** Adds the note of a run to its task and completes the lifecycle stage of its construct. */
export async function linkTask(ctx: MutationContext, { id, run, note, at, stage }: TaskLinkRequest): Promise<TaskLink> {
  const { store, config } = ctx;
  const by = ctx.caller.agent;
  const task = await requireTask(store, id);
  await store.tasks.appendNotes(task, [{ at, by, text: note }]);
  const gate = task.acceptance.some((one) => one.gate !== undefined)
    ? findNextGate((await readVerification(store, task)).held, task.acceptance, config['verification.required'])
    : undefined;
  const evidence = `run:${run}`;
  const verify = gate && ctx.commandAs(['verify', id, '--gate', gate, '--evidence', evidence]);
  const link = { id, note, evidence, ...defined({ verify }) };
  const epicId = stage === undefined ? undefined : await findEpic(store, id);
  if (stage === undefined || epicId === undefined) return { task: link, warnings: [] };
  const mode = config['lifecycleEnforcement.mode'];
  const { current } = await readStage(store, epicId, stage);
  const entered = current.status === 'completed' ? [] : await enterStage(ctx, epicId, { stage, status: 'active', by, at }, mode);
  await finishStage(ctx, epicId, { stage, status: 'completed', by, at, reason: run }, mode);
  return { task: { ...link, stage: { epicId, stage } }, warnings: entered ?? [] };
}

const findEpic = async (store: ReadStore, id: TaskId): Promise<TaskId | undefined> =>
  (await store.tasks.getAncestry(id)).find(({ type }) => type === 'epic')?.id;
