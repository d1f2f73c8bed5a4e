import { array, boolean, description, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, noData, query } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError } from '../../errors/skill.ts';
import type { StoredRun } from '../../rules/trace-name.ts';
import { type TraceVerification, verifyTrace } from '../../rules/trace-verify.ts';
import { findRun, listStoredRuns, readRunRecord } from '../../runner/stored-runs.ts';
import { RunName } from '../shared/trace-shapes.ts';

export const traceVerify = query({
  name: 'trace.verify',
  summary: 'Check that a trace was not modified',
  params: strictObject({ run: optional(RunName), all: optional(pipe(boolean(), description('Verify all traces'))) }),
  result: strictObject({ traces: array(strictObject({ run: string(), trace: string(), lines: number(), head: string() })) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs', 'prunedRuns'],
  cli: { command: 'trace verify', args: ['run'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a'], call: { run: 'run-a' } },
  async run({ platform, project }, { run: name, all }) {
    const runner = await platform.createRunner(project);
    if ((name === undefined) !== (all === true))
      throw createSkillError(64, name === undefined ? 'set run or all' : 'run and all cannot be combined', 'cleo trace verify --all');
    const runs = name === undefined ? listStoredRuns(runner) : [findRun(runner, name)];
    const verified = runs.flatMap((run) => verifyRun(runner, run));
    if (verified.length === 0) return noData({ traces: [] });
    const broken = verified.filter(({ verification }) => verification.broken);
    if (broken.length > 0) throw createBrokenError(broken);
    return answer(
      { traces: verified.map(({ run, trace, verification: { lines, head } }) => ({ run, trace, lines, head })) },
      { warnings: verified.flatMap(({ trace, verification }) => verification.warnings.map((warning) => `${trace}: ${warning}`)) },
    );
  },
});

interface VerifiedRun {
  run: string;
  trace: string;
  verification: TraceVerification;
}

/** Verifies the trace of a run. A run with capture disabled has none. */
export function verifyRun(runner: RunnerPlatform, { runId, trace }: StoredRun): VerifiedRun[] {
  // The record first: an active run writes its trace before its record.
  const record = readRunRecord(runner, runId);
  const name = trace ?? record?.trace;
  if (!name) return [];
  const file = runner.traces.read(name) ?? { text: '' };
  const verification = verifyTrace(file, runner.hash, record);
  if (!record) verification.warnings.push('run.json is missing or damaged, so the last line cannot be verified');
  return [{ run: runId, trace: name, verification }];
}

function createBrokenError(broken: VerifiedRun[]) {
  const [first] = broken;
  const { line, problem } = first!.verification.broken!;
  const more = broken.length > 1 ? `; ${broken.length} traces are broken` : '';
  return createSkillError(65, `${first!.trace}: line ${line} ${problem}${more}`, commandLine(['cleo', 'trace', 'repair', first!.run]), {
    run: first!.run,
    line,
    findings: broken.map(({ run, trace, verification }) => ({
      code: run,
      trace,
      line: verification.broken!.line,
      message: `line ${verification.broken!.line} ${verification.broken!.problem}`,
    })),
  });
}
