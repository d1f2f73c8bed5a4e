import { keptInputs, keptIntent } from '../../assessment/kept-asked.ts';
import { findRun, recordOf } from '../../assessment/kept-runs.ts';
import { doneBy } from '../../assessment/reuse.ts';
import type { RunRequest } from '../../assessment/run-state.ts';
import { commandLine } from '../../errors/quote.ts';
import { resumeCommand } from '../../errors/run-commands.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { RunRecord } from '../../model/trace.ts';
import type { Ground } from '../../platform/ground-port.ts';
import { isSafeValue } from '../../rules/construct/variables.ts';
import type { JobContext } from '../define.ts';

/** The run that is gone on with, and what it has done by now. */
export function resumed(ground: Ground, asked: string, kind: RunRequest['kind'], skill?: string): RunRecord {
  const { runId } = findRun(ground, asked);
  const record = recordOf(ground, runId);
  if (!record?.asked)
    throw skillRefusal(65, `the record of ${runId} is damaged`, commandLine(['cleo', 'trace', 'verify', runId]), { run: runId });
  const name = record.construct?.name ?? '';
  if (record.kind !== kind || (skill !== undefined && name !== skill))
    throw skillRefusal(64, `${runId} is a run of the ${record.kind} ${name}`, resumeCommand(runId, record.kind, name), {
      run: runId,
    });
  // A value that had to be hidden is nobody's value.
  const vars = Object.fromEntries(Object.entries(record.vars).filter(([, value]) => isSafeValue(value)));
  return { ...record, vars, executions: doneBy(ground, record) };
}

/** What it was given, unless nobody but the caller has that. */
export function inputsOf(ground: Ground, record: RunRecord): Record<string, unknown> {
  const kept = keptInputs(ground, record);
  if (kept) return kept;
  const problem = `what ${record.run_id} was given is not kept (--capture full keeps what is no secret): give it again with --input`;
  throw skillRefusal(66, problem, commandLine(['cleo', 'trace', 'show', record.run_id]), { run: record.run_id });
}

/** What it is for, unless nobody but the caller knows. */
export function intentOf(here: JobContext, ground: Ground, record: RunRecord, title: string | undefined): string | undefined {
  const kept = keptIntent(ground, record, [record.intent, title]);
  if (kept !== undefined) return kept ?? undefined;
  const problem = `what ${record.run_id} is for is not kept as it was said: say it again with --intent`;
  throw skillRefusal(66, problem, here.commandWith({ intent: 'what it is for' }), { run: record.run_id });
}
