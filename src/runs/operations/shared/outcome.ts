import { array, boolean, type InferOutput, number, optional, strictObject, string } from 'valibot';
import type { JobContext } from '#core/define.ts';
import type { CleoError } from '#core/errors/error.ts';
import { commandLine } from '#core/errors/quote.ts';
import { StageName } from '#planning/model/lifecycle.ts';
import { showCommand } from '../../errors/run-commands.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import type { GateResult } from '../../model/execution.ts';
import type { RunRecord } from '../../model/trace.ts';
import { meaningOf } from '../../rules/exit-class.ts';
import type { Executed } from '../../runner/draft.ts';
import type { RunOutcome } from '../../runner/run.ts';
import { longestMs } from './run-params.ts';

const WarningShape = strictObject({ code: string(), message: string() });

/** What a run left with its task. */
export const TaskLink = strictObject({
  id: string(),
  note: string(),
  /** As `verify` takes it. */
  evidence: string(),
  /** The call that brings it, where the task asks for some. */
  verify: optional(string()),
  stage: optional(strictObject({ epicId: string(), stage: StageName })),
});

export interface Linked {
  task?: InferOutput<typeof TaskLink>;
  warnings: string[];
}

/** A run as it is answered: what ran, what became of it, and where the rest is kept. */
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
        ...{ from: string(), to: string(), accepted: boolean(), completeness: optional(number()), reason: optional(string()) },
        warnings: optional(array(string())),
      }),
    ),
  ),
  trace: optional(string()),
  task: optional(TaskLink),
});

export function runView({ record, redactor, executed, handoffs }: RunOutcome, task?: Linked['task']): InferOutput<typeof RunShape> {
  return redactor.value({
    ...{ id: record.run_id, status: record.status, exitCode: record.exit_code ?? 0 },
    executions: executed.map(({ phase, skill, outcome: { result, meaning, isSkipped, attempts } }) => {
      const { warnings, gates_passed: gates } = result.diagnostics;
      const artifacts = result.outputs.artifacts.map(({ path }) => path);
      return {
        ...{
          phase,
          skill,
          status: result.status,
          exitCode: meaning.code,
          class: meaning.class,
          attempts,
        },
        durationMs: result.duration_ms,
        ...(isSkipped ? { skipped: true } : {}),
        gates: gates.map(({ status }) => status),
        ...(artifacts.length > 0 ? { artifacts } : {}),
        ...(warnings.length > 0 ? { warnings } : {}),
      };
    }),
    ...(handoffs.length > 0 ? { handoffs: handoffs.map(handoffView) } : {}),
    ...(record.trace ? { trace: `.cleo/traces/${record.trace}` } : {}),
    ...(task ? { task } : {}),
  }) as InferOutput<typeof RunShape>;
}

const handoffView = ({ from_phase, to_phase, accepted, rejection_reason, validation }: RunOutcome['handoffs'][number]) => ({
  ...{ from: from_phase, to: to_phase, accepted },
  ...(validation.completeness === null ? {} : { completeness: validation.completeness }),
  ...(rejection_reason === null ? {} : { reason: rejection_reason }),
  ...(validation.warnings.length > 0 ? { warnings: validation.warnings } : {}),
});

/** How a run that did not succeed is answered: with the code of what decided it, and the way on. */
export function runRefusal(outcome: RunOutcome, again: (params: Record<string, unknown>) => string): CleoError | undefined {
  const { record, deciding, executed, handoffs, redactor, warnings } = outcome;
  const code = record.exit_code ?? 70;
  if (code === 0) return undefined;
  const last = executed.find(({ phase, skill }) => phase === deciding?.phase && skill === deciding.skill)?.outcome;
  const refused = handoffs.find(({ accepted }) => !accepted);
  // Before a person has spoken there is nothing to go on with.
  const review = deciding?.meaning.class === 'escalate' ? last?.review : undefined;
  const remediation = remediesOf(last?.result.diagnostics.gates_passed ?? []) || refused?.remediation;
  const fix =
    refused && code === 80
      ? commandLine([
          'cleo',
          'handoff',
          'check',
          refused.from_phase,
          refused.to_phase,
          ...(record.construct ? [record.construct.file] : []),
          ...(record.project === record.construct?.name ? [] : ['--project', record.project]),
          ...Object.entries(record.vars).flatMap(([name, value]) => ['--var', `${name}=${value}`]),
        ])
      : review
        ? commandLine(['cleo', 'review', 'show', review])
        : deciding?.meaning.code === 127
          ? record.kind === 'construct' && record.construct
            ? showCommand(record.construct.file)
            : 'cleo skill list'
          : goingOn(outcome, again, last?.timedOut);
  const problem =
    record.status === 'cancelled'
      ? 'it was ended from outside'
      : `${deciding?.phase ? `${deciding.phase}: ` : ''}${deciding?.problem ?? 'it did not succeed'}`;
  const { class: exitClass, name, action } = record.status === 'cancelled' ? meaningOf(130) : (deciding?.meaning ?? meaningOf(code));
  return skillRefusal(code, redactor.text(problem), redactor.text(fix), {
    ...{ class: exitClass, name, action, run: runView(outcome) },
    ...(remediation ? { remediation: redactor.text(remediation) } : {}),
    ...(review ? { review, then: goingOn(outcome, again, undefined) } : {}),
    ...(warnings.length > 0 ? { warnings: redactor.value(warnings) } : {}),
  });
}

/** All that has to be done, and not only the first of it; each thing once, whoever asks for it. */
function remediesOf(gates: GateResult[]): string {
  const asked = gates
    .filter(({ gate, passed, severity }) => (gate === 1 || gate === 3) && !passed && severity === 'block')
    .flatMap(({ details }) => details.failures.flatMap(({ remediation, message }) => (remediation ?? message).split('\n')));
  return [...new Set(asked)].slice(0, mostRemedies).join('\n');
}

const mostRemedies = 20;

/** The same call, going on with the run: what its record keeps need not be said again. What took too long gets twice the time: as much
 *  again would end as it did. What is not kept and did not come from a file, nobody but the caller has. */
function goingOn(
  { record, hasKeptInputs }: RunOutcome,
  again: (params: Record<string, unknown>) => string,
  timedOut: Executed['timedOut'],
): string {
  const command = again({
    ...{ resume: record.run_id, file: undefined, phase: undefined, from: undefined, skill: undefined, outputs: undefined },
    ...{ project: undefined, var: undefined, task: undefined, capture: undefined, wait: undefined, force: undefined, reason: undefined },
    ...(record.intent === null ? {} : { intent: undefined }),
    ...(hasKeptInputs ? { input: undefined } : {}),
    ...(timedOut?.isOwn ? { timeout: Math.min(2 * timedOut.timeoutMs, longestMs) } : {}),
  });
  return hasKeptInputs || / --input (?!-(?: |$))/.test(command) ? command : commandLine(['cleo', 'trace', 'show', record.run_id]);
}

/** What is said of a run as a whole. */
export const saidOf = ({ warnings, redactor }: RunOutcome): string[] => warnings.map(({ message }) => redactor.text(message));

/** Notes what a run that succeeded leaves behind: its own record, and word of it with its task. */
export async function leave(ctx: JobContext, outcome: RunOutcome, construct: Construct, resumed: RunRecord | undefined): Promise<Linked> {
  ctx.changes[resumed === undefined ? 'created' : 'updated'].push(outcome.record.run_id);
  if (outcome.record.task_id === null && construct.lifecycleStage === undefined) return { warnings: [] };
  return (await import('./link.ts')).linkTask(ctx, outcome, construct);
}
