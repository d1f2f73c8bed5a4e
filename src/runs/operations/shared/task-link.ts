import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { checkStageGate, enterStage, finishStage, readStage } from '#planning/operations/shared/stages.ts';
import { checkStageMove } from '#planning/rules/lifecycle.ts';
import type { ReadStore } from '#store/port/store.ts';
import { createNotFoundError, requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { readVerification } from '#verification/operations/shared/verification.ts';
import { findNextGate } from '#verification/rules/gates.ts';
import { createSkillError } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import { listRunFiles } from '../../rules/run-evidence.ts';
import type { RunOutcome } from '../../runner/run.ts';
import type { TaskLink } from './run-result.ts';

/** Returns the title of the task of a run. Throws before anything runs if the run could not be linked to the task afterwards. */
export function requireRunTask(ctx: JobContext, id: TaskId, { lifecycleStage: stage }: Construct): Promise<string> {
  return ctx.read(async (store) => {
    const task = await store.tasks.getHit(id);
    if (!task) throw await createNotFoundError(store, id);
    await checkScope({ ...ctx, store }, id);
    if (stage === undefined) return task.title;
    const epicId = await findEpic(store, id);
    if (epicId === undefined)
      throw createSkillError(
        80,
        `${id} does not belong to an epic whose stage ${stage} the construct could complete`,
        'cleo list --type epic',
        {
          stage,
        },
      );
    await checkScope({ ...ctx, store }, epicId);
    const { known, current } = await readStage(store, epicId, stage);
    if (current.status === 'completed') return task.title;
    await checkStageGate({ ...ctx, store }, epicId, known, stage, ctx.config()['lifecycleEnforcement.mode']);
    if (current.status !== 'active') checkStageMove(epicId, current, 'start');
    return task.title;
  });
}

const findEpic = async (store: ReadStore, id: TaskId): Promise<TaskId | undefined> =>
  (await store.tasks.getAncestry(id)).find(({ type }) => type === 'epic')?.id;

/** Links a successful run to its task: adds a note and completes the lifecycle stage of the construct. A failure to do so is a warning,
 *  because the run itself succeeded. */
export async function linkRunToTask(
  ctx: JobContext,
  { record, redactor, executed }: RunOutcome,
  { lifecycleStage, ...construct }: Construct,
): Promise<TaskLink> {
  const { run_id: run } = record;
  if (record.task_id === null)
    return { warnings: lifecycleStage ? [`stage ${lifecycleStage} was not completed: the run has no task; name it with task`] : [] };
  const id = record.task_id as TaskId;
  const note = redactor.text(formatNote(`${construct.name} ${construct.version}`, record));
  // Only the last phase completes the stage.
  const last = construct.phases.at(-1)?.name;
  const stage = executed.some(({ phase }) => phase === last) ? lifecycleStage : undefined;
  const [at, by] = [record.completed_at ?? ctx.now, ctx.caller.agent];
  try {
    return await ctx.write(async (store) => {
      const task = await requireTask(store, id);
      await store.tasks.appendNotes(task, [{ at, by, text: note }]);
      const gate = task.acceptance.some((one) => one.gate !== undefined)
        ? findNextGate((await readVerification(store, task)).held, task.acceptance, ctx.config()['verification.required'])
        : undefined;
      const evidence = `run:${run}`;
      const link = {
        id,
        note,
        evidence,
        ...(gate ? { verify: ctx.commandAs(['verify', id, '--gate', gate, '--evidence', evidence]) } : {}),
      };
      const epicId = stage === undefined ? undefined : await findEpic(store, id);
      if (stage === undefined || epicId === undefined) return { task: link, warnings: [] };
      const mode = ctx.config()['lifecycleEnforcement.mode'];
      const { current } = await readStage(store, epicId, stage);
      const entered =
        current.status === 'completed' ? [] : await enterStage({ ...ctx, store }, epicId, { stage, status: 'active', by, at }, mode);
      await finishStage({ ...ctx, store }, epicId, { stage, status: 'completed', by, at, reason: run }, mode);
      return { task: { ...link, stage: { epicId, stage } }, warnings: entered ?? [] };
    });
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return { warnings: [`${run} was not linked to ${id}: ${error.message} (${error.fix})`] };
  }
}

const maxFilesInNote = 10;

function formatNote(construct: string, record: RunOutcome['record']): string {
  const files = listRunFiles(record).map(({ path }) => path);
  const more = files.length > maxFilesInNote ? ` and ${files.length - maxFilesInNote} more` : '';
  const written = files.length === 0 ? 'it wrote no files' : `it wrote ${files.slice(0, maxFilesInNote).join(', ')}${more}`;
  return `${record.run_id} (${record.kind === 'skill' ? record.executions.map(({ skill }) => skill).join(', ') : construct}) succeeded; ${written}`;
}
