import { array, boolean, type InferOutput, number, optional, strictObject, string } from 'valibot';
import type { JobContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import type { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import { StageNameSchema } from '#planning/model/lifecycle.ts';
import { createSkillError, showConstructCommand } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import type { GateResult } from '../../model/execution.ts';
import type { ExitClass } from '../../model/skill-exit.ts';
import type { RunRecord } from '../../model/trace.ts';
import { explainExit } from '../../rules/skill-contract.ts';
import type { ExecutionOutcome } from '../../runner/gates.ts';
import type { RunOutcome } from '../../runner/run.ts';
import { maxMs } from './run-request.ts';

const WarningShape = strictObject({ code: string(), message: string(), path: optional(string()) });

const TaskLinkShape = strictObject({
  id: string(),
  note: string(),
  /** Evidence in the form that `verify` takes. */
  evidence: string(),
  /** The command that adds the evidence, if a gate of the task needs it. */
  verify: optional(string()),
  stage: optional(strictObject({ epicId: string(), stage: StageNameSchema })),
});

/** The link of a run to its task, and the reasons for missing parts of it. */
export interface TaskLink {
  task?: InferOutput<typeof TaskLinkShape>;
  warnings: string[];
}

export const RunShape = strictObject({
  id: string(),
  status: string(),
  exitCode: number(),
  executions: array(
    strictObject({
      phase: string(),
      skill: string(),
      status: string(),
      exitCode: number(),
      class: string(),
      attempts: number(),
      durationMs: number(),
      skipped: optional(boolean()),
      gates: array(string()),
      artifacts: optional(array(string())),
      warnings: optional(array(WarningShape)),
    }),
  ),
  handoffs: optional(
    array(
      strictObject({
        from: string(),
        to: string(),
        accepted: boolean(),
        completeness: optional(number()),
        reason: optional(string()),
        warnings: optional(array(string())),
      }),
    ),
  ),
  trace: optional(string()),
  task: optional(TaskLinkShape),
});

/** Converts the outcome of a run into the result of the command, redacted. */
export function toRunResult({ record, redactor, executed, handoffs }: RunOutcome, task?: TaskLink['task']): InferOutput<typeof RunShape> {
  return redactor.value({
    id: record.run_id,
    status: record.status,
    exitCode: record.exit_code ?? 0,
    executions: executed.map(toExecutionResult),
    ...(handoffs.length > 0 ? { handoffs: handoffs.map(toHandoffResult) } : {}),
    ...(record.trace ? { trace: `.cleo/traces/${record.trace}` } : {}),
    ...defined({ task }),
  }) as InferOutput<typeof RunShape>;
}

function toExecutionResult({ phase, skill, outcome }: RunOutcome['executed'][number]) {
  const { result, meaning, isSkipped, attempts } = outcome;
  const { warnings, gates_passed: gates } = result.diagnostics;
  const artifacts = result.outputs.artifacts.map(({ path }) => path);
  return {
    phase,
    skill,
    status: result.status,
    exitCode: meaning.code,
    class: meaning.class,
    attempts,
    durationMs: result.duration_ms,
    ...(isSkipped ? { skipped: true } : {}),
    gates: gates.map(({ status }) => status),
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

const toHandoffResult = ({ from_phase, to_phase, accepted, rejection_reason, validation }: RunOutcome['handoffs'][number]) => ({
  from: from_phase,
  to: to_phase,
  accepted,
  ...defined({ completeness: validation.completeness ?? undefined, reason: rejection_reason ?? undefined }),
  ...(validation.warnings.length > 0 ? { warnings: validation.warnings } : {}),
});

/** The error of a run that did not succeed: the exit code of the deciding execution, and the command to continue with. */
export function toRunError(outcome: RunOutcome, commandWith: JobContext['commandWith']): CleoError | undefined {
  const { record, deciding, executed, handoffs, redactor, warnings } = outcome;
  const code = record.exit_code ?? 70;
  if (code === 0) return undefined;
  const isCancelled = record.status === 'cancelled';
  const execution = executed.find(({ phase, skill }) => phase === deciding?.phase && skill === deciding.skill)?.outcome;
  const rejected = handoffs.find(({ accepted }) => !accepted);
  // An escalated run cannot be resumed before its review is resolved.
  const review = deciding?.meaning.class === 'escalate' ? execution?.review : undefined;
  const resume = suggestResume(outcome, commandWith, review ? undefined : execution?.timedOut);
  const remediation = listRemedies(execution?.result.diagnostics.gates_passed ?? []) || rejected?.remediation;
  let fix = canRepeat(isCancelled ? 'signal' : (deciding?.meaning.class ?? 'unknown')) ? resume : showTrace(record);
  const check = rejected && code === 80 ? suggestHandoffCheck(record, rejected) : undefined;
  // Resuming fails in the same way until the inputs exist; a dry run shows which are missing.
  if (deciding && isBlockedByInputs(execution)) fix = suggestDryRun(record.kind, deciding.phase, commandWith);
  if (check) fix = showTrace(record);
  else if (review) fix = commandLine(['cleo', 'review', 'show', review]);
  else if (deciding?.meaning.code === 127)
    fix = record.kind === 'construct' && record.construct ? showConstructCommand(record.construct.file) : 'cleo skill list';
  const problem = isCancelled
    ? 'the run was cancelled'
    : `${deciding?.phase ? `${deciding.phase}: ` : ''}${deciding?.problem ?? 'the run failed'}`;
  const { class: exitClass, name, action } = isCancelled ? explainExit(130) : (deciding?.meaning ?? explainExit(code));
  return createSkillError(code, redactor.text(problem), redactor.text(fix), {
    class: exitClass,
    name,
    action,
    run: toRunResult(outcome),
    ...(remediation ? { remediation: redactor.text(remediation) } : {}),
    ...(review ? { review } : {}),
    ...(check ? { check: redactor.text(check) } : {}),
    ...(fix === resume ? {} : { then: redactor.text(resume) }),
    ...(warnings.length > 0 ? { warnings: redactor.value(warnings) } : {}),
  });
}

/** An interruption may not happen again. After any other failure, the skill, its input or the project has to change first. */
const canRepeat = (exitClass: ExitClass): boolean => ['temporary', 'timeout', 'signal', 'partial'].includes(exitClass);

const showTrace = ({ run_id }: RunRecord): string => commandLine(['cleo', 'trace', 'show', run_id]);

/** True if the precondition gate failed and nothing was started. */
const isBlockedByInputs = (execution: ExecutionOutcome | undefined): boolean =>
  execution?.attempts === 0 &&
  execution.result.diagnostics.gates_passed.some(
    ({ name, passed, severity }) => name === 'precondition' && !passed && severity === 'block',
  );

const suggestDryRun = (kind: RunRecord['kind'], phase: string, commandWith: JobContext['commandWith']): string =>
  commandWith({
    dryRun: true,
    ...Object.fromEntries(['resume', 'input', 'intent', 'wait', 'timeout', 'force', 'reason', 'phase'].map((name) => [name, undefined])),
    ...(kind === 'construct' ? { from: phase } : {}),
  });

const suggestHandoffCheck = ({ construct, project, vars }: RunRecord, { from_phase, to_phase }: RunOutcome['handoffs'][number]): string =>
  commandLine([
    'cleo',
    'handoff',
    'check',
    from_phase,
    to_phase,
    ...(construct ? [construct.file] : []),
    ...(project === construct?.name ? [] : ['--project', project]),
    ...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}=${value}`]),
  ]);

const maxRemedies = 20;

/** The remedies of all failed checks of the precondition and output gates, each once. */
function listRemedies(gates: GateResult[]): string {
  const remedies = gates
    .filter(({ name, passed, severity }) => (name === 'precondition' || name === 'output') && !passed && severity === 'block')
    .flatMap(({ details }) => details.failures.flatMap(({ remediation, message }) => (remediation ?? message).split('\n')));
  return [...new Set(remedies)].slice(0, maxRemedies).join('\n');
}

/** The same command with --resume and without the parameters that the record holds. After a timeout of its own the attempt gets twice
 *  the time. If the inputs were neither stored nor read from a file, the command cannot be repeated, and the trace is shown instead. */
function suggestResume(
  { record, hasStoredInputs }: RunOutcome,
  commandWith: JobContext['commandWith'],
  timedOut: ExecutionOutcome['timedOut'],
): string {
  const stored = ['file', 'phase', 'from', 'skill', 'outputs', 'project', 'var', 'task', 'capture', 'wait', 'force', 'reason'];
  const command = commandWith({
    resume: record.run_id,
    ...Object.fromEntries(stored.map((name) => [name, undefined])),
    ...(record.intent === null ? {} : { intent: undefined }),
    ...(hasStoredInputs ? { input: undefined } : {}),
    ...(timedOut?.isOwn ? { timeout: Math.min(2 * timedOut.timeoutMs, maxMs) } : {}),
  });
  return hasStoredInputs || / --input (?!-(?: |$))/.test(command) ? command : showTrace(record);
}

export const listRunWarnings = ({ warnings, redactor }: RunOutcome): string[] => warnings.map(({ message }) => redactor.text(message));

/** Adds a successful run to the receipt and links it to its task. */
export async function recordRun(
  ctx: JobContext,
  outcome: RunOutcome,
  construct: Construct,
  resumed: RunRecord | undefined,
): Promise<TaskLink> {
  ctx.changes[resumed === undefined ? 'created' : 'updated'].push(outcome.record.run_id);
  if (outcome.record.task_id === null && construct.lifecycleStage === undefined) return { warnings: [] };
  return (await import('./task-link.ts')).linkRunToTask(ctx, outcome, construct);
}
