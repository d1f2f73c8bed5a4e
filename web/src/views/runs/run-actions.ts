import { resumeCommand } from '#runs/errors/resume-command.ts';
import { ask } from '../../components/ask-dialog.tsx';
import { runAction } from '../../state/actions.ts';
import type { Run } from './runs-view.tsx';

/** Stops the work on a task, or every `cleo work` of the server's machine. A page without a token of scope admin shows the command, until
 *  `ended` is aborted. */
export async function stopWork({ taskId, isNow }: { taskId: string | undefined; isNow: boolean }, ended: AbortSignal): Promise<void> {
  const terminal = {
    title: taskId ? `Stop ${taskId}` : 'Stop cleo work',
    message: 'A page ends no programs on the machine of the server, unless it has a token of scope admin.',
    command: ['cleo work stop', taskId ?? '--all', ...(isNow ? ['--now'] : [])].join(' '),
    until: ended,
  };
  const params = { ...(taskId ? { taskId } : { all: true }), ...(isNow ? { now: true } : {}) };
  await runAction('work.stop', params, ({ stopped }) => formatStopped(stopped), { terminal });
}

const formatStopped = ({ running }: { running: string[] }): string =>
  running.length === 0 ? 'Stopped' : `Asked to stop; ${running.join(', ')} may finish`;

export async function stopRun({ id: run, kind, taskId }: Run, ended: AbortSignal): Promise<void> {
  // Work has rounds: the agent may finish the one that it is in.
  if (kind === 'work' && taskId) return stopWork({ taskId, isNow: false }, ended);
  const reason = await ask({ title: `Stop ${run}`, label: 'Reason, for the trace', confirm: 'Stop', isOptional: true, isDanger: true });
  if (reason !== undefined) await runAction('construct.stop', { run, ...(reason ? { reason } : {}) }, `Stopped ${run}`);
}

/** Checks whether a run that is shown can be resumed: it began a phase and did not succeed. The next `cleo work` continues a task by itself. */
export const canResume = ({ status, lines, kind }: Run): boolean =>
  kind !== 'work' && status !== 'running' && status !== 'success' && lines > 0;

/** Resumes a run with the parameters of its record. A token of scope admin may start programs on the machine of the server, so that the
 *  run is part of this call. Every other page shows the command, until `started` is aborted. */
export async function requestResume({ id, kind, name }: Run, started: AbortSignal): Promise<void> {
  const terminal = {
    title: `Resume ${id}`,
    message: 'A page starts no programs on the machine of the server, unless it has a token of scope admin.',
    command: resumeCommand(id, kind, name),
    until: started,
  };
  const done = `Resumed ${id}`;
  if (kind === 'skill') await runAction('skills.run', { name, resume: id }, done, { terminal });
  else await runAction('construct.run', { resume: id }, done, { terminal });
}
