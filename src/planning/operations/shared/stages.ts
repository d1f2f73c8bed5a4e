import { description, optional, pipe, strictObject, string } from 'valibot';
import { type MutationContext, noChange } from '#core/define.ts';
import type { ErrorCode } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { Reason } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import { findListCommand } from '#tasks/operations/shared/list-command.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { type Enforcement, type Stage, type StageName, StageNameSchema, StageSchema } from '../../model/lifecycle.ts';
import { checkStageMove, createGateError, findMissingStages, isStageWorkDone } from '../../rules/lifecycle.ts';
import { readEpicWork, type StageContext } from './stage-work.ts';

export const EpicId = pipe(TaskIdSchema, description('The epic'));
export const epicAliases = { epic: 'epicId' };
export const stageParams = { epicId: EpicId, stage: pipe(StageNameSchema, description('The stage')) };
export const StageResult = strictObject({ stage: StageSchema, epicId: string() });

/** Throws unless the task is an epic. The fix uses the epic that the task is part of. */
export async function requireEpic(store: ReadStore, id: TaskId, commandWith: (params: { epicId: TaskId }) => string): Promise<void> {
  const task = await requireTask(store, id);
  if (task.type === 'epic') return;
  const epic = (await store.tasks.getAncestry(id)).find(({ type }) => type === 'epic');
  throw new CleoError('E_VALIDATION', {
    field: 'epicId',
    problem: `must be an epic; ${id} has type ${task.type}`,
    fix: epic ? commandWith({ epicId: epic.id }) : await findListCommand(store, 'epic'),
  });
}

export async function requireEpicInScope(ctx: MutationContext, epicId: TaskId): Promise<void> {
  await requireEpic(ctx.store, epicId, ctx.commandWith);
  await checkScope(ctx, epicId);
}

/** Reads all recorded stages of an epic, and this one. */
export async function readStage(store: ReadStore, epicId: TaskId, stage: StageName): Promise<{ known: Stage[]; current: Stage }> {
  const known = await store.lifecycle.listStages(epicId);
  return { known, current: known.find((each) => each.stage === stage) ?? { stage, status: 'pending' } };
}

/** Checks that all earlier stages are completed or skipped: `strict` throws (80), `advisory` returns a warning, `off` does nothing. */
export async function checkStageGate(
  ctx: StageContext,
  epicId: TaskId,
  known: Stage[],
  stage: StageName,
  mode: Enforcement,
): Promise<string[]> {
  const missing = mode === 'off' ? [] : findMissingStages(known, stage);
  if (missing.length === 0) return [];
  if (mode === 'advisory') return [`${epicId} enters ${stage} before ${missing.join(', ')}`];
  throw createGateError(epicId, stage, missing, await readEpicWork(ctx, epicId));
}

/** Checks that a stage can be completed (83). A stage that was never started can be, if its tasks are done. */
export async function checkStageCompletion(ctx: StageContext, epicId: TaskId, current: Stage): Promise<void> {
  if (current.status === 'pending' && isStageWorkDone(await readEpicWork(ctx, epicId), current.stage)) return;
  checkStageMove(epicId, current, 'complete');
}

/** Context of stage changes. */
type StageWriteContext = Pick<MutationContext, 'store' | 'platform'>;

/** Enters a stage. Returns warnings, or undefined if the stage is already active. */
export async function enterStage(ctx: StageWriteContext, epicId: TaskId, started: Stage, mode: Enforcement): Promise<string[] | undefined> {
  const { known, current } = await readStage(ctx.store, epicId, started.stage);
  if (current.status === 'active') return undefined;
  checkStageMove(epicId, current, 'start');
  const warnings = await checkStageGate(ctx, epicId, known, started.stage, mode);
  await ctx.store.lifecycle.saveStage(epicId, started);
  return warnings;
}

/** Completes a stage. Returns warnings, or undefined if the stage is already completed. */
export async function finishStage(
  ctx: StageWriteContext,
  epicId: TaskId,
  completed: Stage,
  mode: Enforcement,
): Promise<string[] | undefined> {
  const { known, current } = await readStage(ctx.store, epicId, completed.stage);
  if (current.status === 'completed') return undefined;
  const warnings = await checkStageGate(ctx, epicId, known, completed.stage, mode);
  await checkStageCompletion(ctx, epicId, current);
  await ctx.store.lifecycle.saveStage(epicId, completed);
  return warnings;
}

/** Fields of the operations that run `changeStage`. */
export const stageChange = {
  params: strictObject({ ...stageParams, reason: optional(Reason) }),
  paramAliases: epicAliases,
  result: StageResult,
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_LIFECYCLE_TRANSITION_INVALID', 'E_TASK_NOT_IN_SCOPE'] satisfies ErrorCode[],
  tier: 2 as const,
};

const targetStatus = { fail: 'failed', reset: 'pending' } as const;

/** Marks a stage as failed or resets it; changes nothing if it has that status already. */
export async function changeStage(
  ctx: MutationContext,
  { epicId, stage, reason }: { epicId: TaskId; stage: StageName; reason?: string | undefined },
  move: keyof typeof targetStatus,
) {
  const { store, now, caller } = ctx;
  await requireEpicInScope(ctx, epicId);
  const { current } = await readStage(store, epicId, stage);
  const status = targetStatus[move];
  if (current.status === status) return noChange({ stage: current, epicId });
  checkStageMove(epicId, current, move);
  const changed: Stage = { stage, status, by: caller.agent, at: now, ...defined({ reason }) };
  await store.lifecycle.saveStage(epicId, changed);
  return { stage: changed, epicId };
}
