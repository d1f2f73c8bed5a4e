import { description, pipe } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { TaskId } from '#core/model/scalars.ts';
import type { ReadStore, WriteStore } from '#store/port.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { type Enforcement, type Stage, StageName } from '../../model/lifecycle.ts';
import { checkStageMove, lifecycleGate } from '../../rules/lifecycle.ts';

export const EpicId = pipe(TaskId, description('The epic'));
export const StageParam = pipe(StageName, description('The stage'));
/** `sagaId` is not among them: stages belong to epics. */
export const epicNames = { epic: 'epicId' };

/** Stages belong to epics; the way out for any other task is the epic it is part of. */
export async function requireEpic(store: ReadStore, id: TaskId, commandWith: (params: { epicId: TaskId }) => string): Promise<void> {
  const task = await requireTask(store, id);
  if (task.type === 'epic') return;
  const epic = (await store.tasks.ancestry(id)).find(({ type }) => type === 'epic');
  throw new CleoError('E_VALIDATION', {
    field: 'epicId',
    problem: `must be an epic; ${id} is a ${task.type}`,
    fix: epic ? commandWith({ epicId: epic.id }) : 'cleo list --type epic',
  });
}

/** What is known of an epic's stages, and of this one. */
export async function stageNow(store: ReadStore, epicId: TaskId, stage: StageName): Promise<{ known: Stage[]; current: Stage }> {
  const known = await store.lifecycle.stages(epicId);
  return { known, current: known.find((each) => each.stage === stage) ?? { stage, status: 'pending' } };
}

/** Enters a stage in this transaction; what there is to warn of, or undefined where it is entered already. */
export async function enterStage(store: WriteStore, epicId: TaskId, started: Stage, mode: Enforcement): Promise<string[] | undefined> {
  const { known, current } = await stageNow(store, epicId, started.stage);
  if (current.status === 'active') return undefined;
  checkStageMove(epicId, current, 'start');
  const warnings = lifecycleGate(epicId, known, started.stage, mode);
  await store.lifecycle.put(epicId, started);
  return warnings;
}

/** Completes one; what there is to warn of, or undefined where it is completed already. */
export async function finishStage(store: WriteStore, epicId: TaskId, completed: Stage, mode: Enforcement): Promise<string[] | undefined> {
  const { known, current } = await stageNow(store, epicId, completed.stage);
  if (current.status === 'completed') return undefined;
  const warnings = lifecycleGate(epicId, known, completed.stage, mode);
  checkStageMove(epicId, current, 'complete');
  await store.lifecycle.put(epicId, completed);
  return warnings;
}
