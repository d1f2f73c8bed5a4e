import { nullable, number, strictObject, string } from 'valibot';
import { type JobContext, job, noChange } from '#core/define.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError } from '../../errors/skill.ts';
import { parseEvents } from '../../rules/trace.ts';
import type { StoredRun } from '../../rules/trace-name.ts';
import { withRunLock } from '../../runner/run-lock.ts';
import { findRun, isRunLive, readRunRecord } from '../../runner/stored-runs.ts';
import { RunName } from '../shared/trace-shapes.ts';
import { verifyRun } from './verify.ts';

export const traceRepair = job({
  name: 'trace.repair',
  summary: 'Cut a trace after its last valid line',
  params: strictObject({ run: RunName }),
  result: strictObject({
    repaired: strictObject({ run: string(), trace: string(), lines: number(), moved: number(), file: nullable(string()) }),
  }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  exitNamespace: 'skill',
  shares: ['runs', 'prunedRuns'],
  cli: { command: 'trace repair', args: ['run'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a'], call: { run: 'run-a' }, exit: 102 },
  async run({ platform, project, changes }, { run: name }) {
    const runner = await platform.createRunner(project);
    const stored = findRun(runner, name);
    return withRunLock(runner, stored.runId, () => repairTrace(runner, stored, changes));
  },
});

function repairTrace(runner: RunnerPlatform, stored: StoredRun, changes: JobContext['changes']) {
  const record = readRunRecord(runner, stored.runId);
  if (isRunLive(runner, record)) throw createSkillError(75, `${stored.runId} is active`, 'cleo trace list', { run: stored.runId });
  const [checked] = stored.trace ? verifyRun(runner, stored) : [];
  if (!checked || !stored.trace) throw createSkillError(66, `${stored.runId} has no trace`, 'cleo trace list', { run: stored.runId });
  const { intactLines, intactHead, broken } = checked.verification;
  const { text } = runner.traces.read(stored.trace)!;
  const lineCount = text.split('\n').length - 1;
  const isTorn = !text.endsWith('\n') && text !== '';
  // A trace that lacks its end has nothing to move, but the head in the record can be corrected.
  const isShort = broken !== undefined && intactLines === lineCount && !isTorn;
  if (!broken && !isTorn) return noChange({ repaired: { run: stored.runId, trace: stored.trace, lines: lineCount, moved: 0, file: null } });
  const file = isShort ? null : runner.traces.truncate(stored.trace, intactLines);
  const last = parseEvents(text).lines.findLast(({ number }) => number <= intactLines)?.line.seq ?? 0;
  const recordText = runner.runs.read(stored.runId, 'run.json');
  if (record && recordText !== undefined)
    runner.runs.write(
      stored.runId,
      'run.json',
      `${JSON.stringify({ ...(JSON.parse(recordText) as object), head: intactHead, lines: last })}\n`,
    );
  changes.updated.push(stored.runId);
  return {
    repaired: { run: stored.runId, trace: stored.trace, lines: intactLines, moved: lineCount - intactLines + (isTorn ? 1 : 0), file },
  };
}
