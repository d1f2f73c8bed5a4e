import { parseJson } from '#lib/parse-json.ts';
import type { GateResult, SkillExecutionResult } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import { createCheck, createUncheckedGate, toGateResult } from '../rules/gate/gate.ts';
import type { Review } from '../rules/review-state.ts';
import { explainExit } from '../rules/skill-contract.ts';
import { parseEvents } from '../rules/trace.ts';
import { saveCheckpoint } from './execution.ts';
import { type Execution, type ExecutionOutcome, explainStop, getGoalSpec, getResultPath, getSubject, recordGate } from './gates.ts';
import { findUnchanged, restoreOutputs } from './reuse.ts';
import { findReview } from './reviews.ts';
import type { RunContext } from './run-context.ts';

type Checkpoint = RunRecord['executions'][number];

/** Finishes an execution that only waits for a review of its goal. The skill is not run again: the reviewer looks at the files it wrote,
 *  and another run might write others. Undefined if it does not wait for a review. */
export function finishFromReview(run: RunContext, execution: Execution, earlier: Checkpoint[]): ExecutionOutcome | undefined {
  const known = findUnchanged(run, execution, earlier, (checkpoint) => checkpoint.review !== undefined);
  const review = known?.checkpoint.review === undefined ? undefined : findReview(run, known.checkpoint.review);
  const stored = known && readStoredResult(run, known.checkpoint);
  if (!known || !review || !stored) return undefined;

  const { checkpoint } = known;
  const { enforce } = getGoalSpec(run, execution.phase);
  const checked = toGoalResult(review, enforce, run.platform.now());
  if (checked.status === 'pending' && enforce && run.request.force?.gate !== 'goal')
    return waitForReview(run, execution, review.id, stored);
  const gate = recordGate(run, execution, checked);
  const ended = gate.passed || !enforce ? explainExit(0) : explainStop(run, execution, 4);
  restoreOutputs(run, execution, known);

  const warnings = [...stored.diagnostics.warnings.filter(({ code }) => code !== 'review_opened'), ...execution.warnings];
  const diagnostics = { errors: execution.errors, warnings };
  const result: SkillExecutionResult = {
    ...stored,
    status: ended.status,
    exit_code: ended.code,
    diagnostics: { ...stored.diagnostics, gates_passed: stored.diagnostics.gates_passed.with(gate.gate, gate), ...diagnostics },
  };
  run.platform.runs.write(run.record.run_id, getResultPath(checkpoint), `${JSON.stringify(run.redactor.value(result))}\n`, 'soon');
  const { review: _, ...rest } = checkpoint;
  const finished: Checkpoint = { ...rest, status: ended.status, exit_code: ended.code };
  const outcome = { status: ended.status, exit_code: ended.code, class: ended.class };
  run.emit(
    'execution_complete',
    { ...readLastCompletion(run, checkpoint), ...outcome, ...diagnostics, checkpoint: finished },
    getSubject(execution),
  );
  saveCheckpoint(run, finished);
  const reusedOutputs = known.outputs.map(({ path }) => path);
  return { result, meaning: ended, attempts: checkpoint.attempts, isSkipped: true, isCancelled: false, reusedOutputs };
}

/** The review is still open: the execution keeps its result and gets no second `execution_complete`. */
function waitForReview(run: RunContext, execution: Execution, review: string, result: SkillExecutionResult): ExecutionOutcome {
  const note = `${execution.skill.name} is not run again: ${review} is open`;
  run.emit('execution_progress', { kind: 'note', note }, getSubject(execution));
  return { result, meaning: explainStop(run, execution, 83), attempts: 0, isSkipped: true, isCancelled: false, review };
}

function toGoalResult({ id, status, verdict, resolutions, humanMean }: Review, enforce: boolean, now: string): GateResult {
  const severity = enforce ? 'block' : 'warn';
  if (status !== 'resolved') return { ...createUncheckedGate('goal', 'pending', now), severity };
  const message = `${id}: ${resolutions.map((one) => `${one.by} says ${one.verdict}`).join(', ')}`;
  return toGateResult('goal', [createCheck('review', verdict === 'pass', message, { expected: 'pass', actual: humanMean })], severity, now);
}

/** Undefined if the file is missing or damaged. */
function readStoredResult({ platform, record }: RunContext, checkpoint: Checkpoint): SkillExecutionResult | undefined {
  const result = parseJson(platform.runs.read(record.run_id, getResultPath(checkpoint))) as SkillExecutionResult | null | undefined;
  return result?.diagnostics?.gates_passed?.length === 5 ? result : undefined;
}

/** The data of the last `execution_complete` event: its measurements are still valid. */
function readLastCompletion({ platform, record }: RunContext, { execution_id }: Checkpoint): Record<string, unknown> {
  const { lines } = parseEvents(platform.traces.read(record.trace)?.text ?? '');
  return lines.findLast(({ line }) => line.event === 'execution_complete' && line.execution_id === execution_id)?.line.data ?? {};
}
