import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { Construct } from '../../model/construct.ts';
import { listRunFiles } from '../../rules/run-evidence.ts';
import type { RunOutcome } from '../../runner/run.ts';
import type { TaskLink } from './run-result.ts';
import { linkStep, taskStep } from './task-link-steps.ts';

/** Returns the title of the task of a run. Throws before anything runs if the run could not be linked to the task afterwards. */
export const requireRunTask = (ctx: JobContext, id: TaskId, { lifecycleStage: stage }: Construct): Promise<string> =>
  ctx.runStep(taskStep, defined({ id, stage }));

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
  const at = record.completed_at ?? ctx.now;
  try {
    return await ctx.runStep(linkStep, defined({ id, run, note, at, stage }));
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
