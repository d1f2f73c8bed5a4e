import { resumeCommand } from '#runs/errors/resume-command.ts';
import { ask } from '../../components/ask-dialog.tsx';
import { runAction } from '../../state/actions.ts';
import type { Run } from './runs-view.tsx';

export async function stopRun(run: string): Promise<void> {
  const reason = await ask({ title: `Stop ${run}`, label: 'Reason, for the trace', confirm: 'Stop', isOptional: true, isDanger: true });
  if (reason !== undefined) await runAction('construct.stop', { run, ...(reason ? { reason } : {}) }, `Stopped ${run}`);
}

/** Checks whether a run that is shown can be resumed: it began a phase and did not succeed. */
export const canResume = ({ status, lines }: Run): boolean => status !== 'running' && status !== 'success' && lines > 0;

/** Resumes a run with the parameters of its record. A token of scope admin may start programs on the machine of the server, so that the
 *  run is part of this call. Every other page shows the command, until `started` is aborted. */
export async function resumeRun({ id, kind, name }: Run, started: AbortSignal): Promise<void> {
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
