import type { JobContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { resumeCommand } from '../../errors/resume-command.ts';
import { createSkillError } from '../../errors/skill.ts';
import type { RunRecord } from '../../model/trace.ts';
import { isSafePathSegment } from '../../rules/construct/conventions.ts';
import type { RunRequest } from '../../runner/run-context.ts';
import { matchStoredIntent, readStoredInputs } from '../../runner/run-inputs.ts';
import { findRun, readRunRecord } from '../../runner/stored-runs.ts';
import type { RunParams } from './run-request.ts';

/** Finds the run that --resume names and checks that this command can resume it. */
export function findResumableRun(
  ctx: JobContext,
  runner: RunnerPlatform,
  name: string,
  kind: RunRequest['kind'],
  skill?: string,
): RunRecord {
  const { runId, trace } = findRun(runner, name);
  const facts = { run: runId };
  if (!trace && runner.runs.read(runId, 'run.json') === undefined)
    throw createSkillError(
      66,
      `${runId} was killed before it wrote its record; there is nothing to resume`,
      ctx.commandWith({ resume: undefined }),
      facts,
    );
  const record = readRunRecord(runner, runId);
  if (!record?.asked)
    throw createSkillError(65, `the record of ${runId} is damaged`, commandLine(['cleo', 'trace', 'verify', runId]), facts);
  const constructName = record.construct?.name ?? '';
  if (record.kind !== kind || (skill !== undefined && constructName !== skill)) {
    const problem = `${runId} is a run of the ${record.kind} ${constructName}`;
    throw createSkillError(64, problem, resumeCommand(runId, record.kind, constructName), facts);
  }
  // A redacted value is not a valid path segment and is dropped.
  const vars = Object.fromEntries(Object.entries(record.vars).filter(([, value]) => isSafePathSegment(value)));
  return { ...record, vars };
}

/** Restores inputs and intent of the run, unless the call gives them. Throws if they were not stored. */
export function restoreRunInputs(
  ctx: JobContext,
  runner: RunnerPlatform,
  record: RunRecord,
  { input, intent, task }: Pick<RunParams, 'input' | 'intent' | 'task'>,
  title: string | undefined,
): { inputs: Record<string, unknown>; intent: string | undefined } {
  return {
    intent: intent ?? (task === undefined ? restoreIntent(ctx, runner, record, title) : title),
    inputs: input ?? restoreInputs(runner, record),
  };
}

function restoreInputs(runner: RunnerPlatform, record: RunRecord): Record<string, unknown> {
  const inputs = readStoredInputs(runner, record);
  if (inputs) return inputs;
  const problem = `the inputs of ${record.run_id} were not stored; pass them again as \`input\` (\`capture\` full stores them)`;
  throw createSkillError(66, problem, commandLine(['cleo', 'trace', 'show', record.run_id]), { run: record.run_id });
}

function restoreIntent(ctx: JobContext, runner: RunnerPlatform, record: RunRecord, title: string | undefined): string | undefined {
  const intent = matchStoredIntent(runner, record, [record.intent, title]);
  if (intent !== undefined) return intent ?? undefined;
  const problem = `the intent of ${record.run_id} was stored redacted; pass it again as \`intent\``;
  throw createSkillError(66, problem, ctx.commandWith({ intent: 'what it is for' }), { run: record.run_id });
}
