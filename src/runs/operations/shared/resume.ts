import type { JobContext } from '#core/define.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { Ground } from '#platform/ground-port.ts';
import { resumeCommand } from '../../errors/run-commands.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { RunRecord } from '../../model/trace.ts';
import { isSafeValue } from '../../rules/construct/variables.ts';
import { keptInputs, keptIntent } from '../../runner/kept-asked.ts';
import { findRun, recordOf } from '../../runner/kept-runs.ts';
import type { RunRequest } from '../../runner/run-state.ts';
import type { Asked } from './begin.ts';

/** The run that is gone on with. */
export function resumed(ctx: JobContext, ground: Ground, asked: string, kind: RunRequest['kind'], skill?: string): RunRecord {
  const { runId, trace } = findRun(ground, asked);
  if (!trace && ground.runs.read(runId, 'run.json') === undefined)
    throw skillRefusal(
      66,
      `${runId} was killed before it had begun: there is nothing to go on with`,
      ctx.commandWith({ resume: undefined }),
      { run: runId },
    );
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
  return { ...record, vars };
}

/** What it was given and what it is for, as far as the call does not say; refused where nobody but the caller knows. */
export function keptOf(
  ctx: JobContext,
  ground: Ground,
  record: RunRecord,
  { input, intent, task }: Pick<Asked, 'input' | 'intent' | 'task'>,
  title: string | undefined,
): { inputs: Record<string, unknown>; intent: string | undefined } {
  return {
    intent: intent ?? (task === undefined ? intentOf(ctx, ground, record, title) : title),
    inputs: input ?? inputsOf(ground, record),
  };
}

/** What it was given, unless nobody but the caller has that. */
function inputsOf(ground: Ground, record: RunRecord): Record<string, unknown> {
  const kept = keptInputs(ground, record);
  if (kept) return kept;
  const problem = `what ${record.run_id} was given is not kept (--capture full keeps what is no secret): give it again with --input`;
  throw skillRefusal(66, problem, commandLine(['cleo', 'trace', 'show', record.run_id]), { run: record.run_id });
}

/** What it is for, unless nobody but the caller knows. */
function intentOf(ctx: JobContext, ground: Ground, record: RunRecord, title: string | undefined): string | undefined {
  const kept = keptIntent(ground, record, [record.intent, title]);
  if (kept !== undefined) return kept ?? undefined;
  const problem = `what ${record.run_id} is for is not kept as it was said: say it again with --intent`;
  throw skillRefusal(66, problem, ctx.commandWith({ intent: 'what it is for' }), { run: record.run_id });
}
