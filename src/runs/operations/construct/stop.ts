import { answer, job, noChange } from '#core/define.ts';
import { NoteText } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import '../../errors/skill.ts';
import { description, optional, pipe, strictObject } from 'valibot';
import { type StopRequest, stopFile } from '../../rules/stop-request.ts';
import { describeRun, findRun, isRunLive, readRunRecord } from '../../runner/stored-runs.ts';
import { RunName, RunRow } from '../shared/trace-shapes.ts';

/** The runner reads a request within 250 ms. Its skills may take the grace period of their phase. */
const waitMs = 5000;
const pollMs = 50;

export const constructStop = job({
  name: 'construct.stop',
  summary: 'Stop an active run; it can be resumed',
  params: strictObject({ run: RunName, reason: optional(pipe(NoteText, description('Reason, for the trace'))) }),
  result: strictObject({ stopped: RunRow }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  cli: { command: 'construct stop', args: ['run'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a'], call: { run: 'run-a' }, exit: 102 },
  async run({ platform, project, caller, now, changes }, { run: name, reason }) {
    const runner = await platform.createRunner(project);
    const stored = findRun(runner, name);
    const record = readRunRecord(runner, stored.runId);
    if (record === undefined || !isRunLive(runner, record)) return noChange({ stopped: describeRun(runner, stored) });
    const request: StopRequest = { pid: record.pid, began: record.began, by: caller.agent, at: now, ...defined({ reason }) };
    runner.runs.write(stored.runId, stopFile, `${JSON.stringify(request)}\n`);
    const until = runner.monotonicMs() + waitMs;
    const never = new AbortController().signal;
    while (isRunLive(runner, readRunRecord(runner, stored.runId)) && runner.monotonicMs() < until) await runner.sleep(pollMs, never);
    const stopped = describeRun(runner, stored);
    changes.updated.push(stored.runId);
    const warnings = stopped.status === 'running' ? [`${stored.runId} has not ended yet; its skills are being stopped`] : [];
    return answer({ stopped }, { warnings });
  },
});
