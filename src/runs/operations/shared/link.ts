import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { enterStage, finishStage, stageNow } from '#planning/operations/shared/stages.ts';
import { checkStageMove, lifecycleGate } from '#planning/rules/lifecycle.ts';
import type { ReadStore } from '#store/port.ts';
import { notFound, requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { standingOf } from '#verification/operations/shared/verification.ts';
import { nextGate } from '#verification/rules/gates.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import { runFiles } from '../../rules/run-evidence.ts';
import type { RunOutcome } from '../../runner/run.ts';
import type { Linked } from './outcome.ts';

/** The title of the task a run is for. Refused before anything runs, where what the run is to leave there could not be left. */
export function admitTask(ctx: JobContext, id: TaskId, { lifecycleStage: stage }: Construct): Promise<string> {
  return ctx.read(async (store) => {
    const task = await store.tasks.hit(id);
    if (!task) throw await notFound(store, id);
    await checkScope({ ...ctx, store }, id);
    if (stage === undefined) return task.title;
    const epicId = await epicOf(store, id);
    if (epicId === undefined)
      throw skillRefusal(80, `${id} is part of no epic; the construct completes its stage ${stage}`, 'cleo list --type epic', { stage });
    await checkScope({ ...ctx, store }, epicId);
    const { known, current } = await stageNow(store, epicId, stage);
    if (current.status === 'completed') return task.title;
    lifecycleGate(epicId, known, stage, ctx.config()['lifecycleEnforcement.mode']);
    if (current.status !== 'active') checkStageMove(epicId, current, 'start');
    return task.title;
  });
}

const epicOf = async (store: ReadStore, id: TaskId): Promise<TaskId | undefined> =>
  (await store.tasks.ancestry(id)).find(({ type }) => type === 'epic')?.id;

/** Leaves word of a run that succeeded with the task it was for. The run is over and was right: what cannot be left is told. */
export async function linkTask(
  ctx: JobContext,
  { record, redactor, executed }: RunOutcome,
  { lifecycleStage, ...construct }: Construct,
): Promise<Linked> {
  const { run_id: run } = record;
  if (record.task_id === null)
    return { warnings: lifecycleStage ? [`${lifecycleStage} is completed for nobody: the run is for no task (--task T###)`] : [] };
  const id = record.task_id as TaskId;
  const note = redactor.text(noteOf(`${construct.name} ${construct.version}`, record));
  // Part of the work completes nothing.
  const last = construct.phases.at(-1)?.name;
  const stage = executed.some(({ phase }) => phase === last) ? lifecycleStage : undefined;
  const [at, by] = [record.completed_at ?? ctx.now, ctx.caller.agent];
  try {
    return await ctx.write(async (store) => {
      const task = await requireTask(store, id);
      await store.tasks.appendNote(task, { at, by, text: note });
      const gate = task.acceptance.some((one) => one.gate !== undefined)
        ? nextGate((await standingOf(store, task)).held, task.acceptance, ctx.config()['verification.required'])
        : undefined;
      const evidence = `run:${run}`;
      const link = {
        id,
        note,
        evidence,
        ...(gate ? { verify: ctx.commandAs(['verify', id, '--gate', gate, '--evidence', evidence]) } : {}),
      };
      const epicId = stage === undefined ? undefined : await epicOf(store, id);
      if (stage === undefined || epicId === undefined) return { task: link, warnings: [] };
      const mode = ctx.config()['lifecycleEnforcement.mode'];
      const { current } = await stageNow(store, epicId, stage);
      const isOver = current.status === 'completed';
      const entered = isOver ? [] : await enterStage(store, epicId, { stage, status: 'active', by, at }, mode);
      await finishStage(store, epicId, { stage, status: 'completed', by, at, reason: run }, mode);
      return { task: { ...link, stage: { epicId, stage } }, warnings: entered ?? [] };
    });
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return { warnings: [`${id} does not know of ${run}: ${error.message} (${error.fix})`] };
  }
}

const filesNamed = 10;

function noteOf(construct: string, record: RunOutcome['record']): string {
  const files = runFiles(record).map(({ path }) => path);
  const more = files.length > filesNamed ? ` and ${files.length - filesNamed} more` : '';
  const made = files.length === 0 ? 'it made no files' : `it made ${files.slice(0, filesNamed).join(', ')}${more}`;
  return `${record.run_id} (${record.kind === 'skill' ? record.executions.map(({ skill }) => skill).join(', ') : construct}) succeeded; ${made}`;
}
