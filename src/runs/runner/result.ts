import type { SkillExecutionResult } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import type { ExitMeaning } from '../rules/exit-class.ts';
import { gateWithout } from '../rules/gate/gate.ts';
import { noClaim } from '../rules/skill-claim.ts';
import { captured, capturedOutput } from './capture.ts';
import { aboutOf, type Draft, type Executed } from './draft.ts';
import { requiredOutputs, sharedIn } from './outputs.ts';
import { type Run, skillDigest } from './run-state.ts';

/** The end of every execution, be it that it was refused: a result, an event, and its place in the record. */
export function finish(draft: Draft, ended: ExitMeaning): Executed {
  const { run, phase, skill, last, isCancelled, isSkipped } = draft;
  const { capture } = run.request.construct;
  const result = resultOf(draft, ended);
  const { artifacts, side_effects } = result.outputs;
  if (capture.enabled) {
    const kept = {
      ...result,
      inputs: { ...result.inputs, provided: captured(run, result.inputs.provided) },
      outputs: {
        primary: capture.outputs === 'full' ? result.outputs.primary : null,
        ...(capture.outputs === 'none' ? { artifacts: [], side_effects: [] } : { artifacts, side_effects }),
      },
    };
    run.ground.runs.write(
      run.record.run_id,
      `${phase.name}/${skill.name}/${Math.max(1, draft.attempts)}/result.json`,
      `${JSON.stringify(run.redactor.value(kept))}\n`,
      'soon',
    );
  }
  const entry = entryOf(draft, result, ended);
  run.tell(
    'execution_complete',
    {
      ...{ status: result.status, exit_code: ended.code, class: ended.class, duration_ms: result.duration_ms },
      ...(isSkipped ? { skipped: true } : {}),
      ...(isCancelled ? { cancelled: true } : {}),
      outputs_summary: {
        ...capturedOutput(run, last?.end.stdout ?? new Uint8Array()),
        ...(capture.outputs === 'none' ? {} : { artifacts: artifacts.map(summaryOf), required: requiredOutputs(run, phase) }),
      },
      ...{ side_effects: side_effects.length, retries: draft.retries },
      ...{ errors: result.diagnostics.errors, warnings: result.diagnostics.warnings, usage: last?.claim.usage ?? null },
      confidence: last?.claim.confidence ?? null,
      // Whoever goes on with this run reads it here: a trace is written before the record is.
      checkpoint: entry,
    },
    aboutOf(draft),
  );
  for (const { path, sha256 } of outputsOf(draft)) run.left.set(path, sha256);
  keep(run, entry);
  const { review, timedOut } = draft;
  return { result, meaning: ended, attempts: draft.attempts, isSkipped, isCancelled, timedOut, ...(review ? { review: review.id } : {}) };
}

/** In its place, if it has one by now. */
export function keep(run: Run, entry: RunRecord['executions'][number]): void {
  const { executions } = run.record;
  const at = executions.findIndex(({ execution_id }) => execution_id === entry.execution_id);
  run.record.executions = at < 0 ? [...executions, entry] : executions.with(at, entry);
  run.save();
}

const summaryOf = ({ path, checksum, metadata }: SkillExecutionResult['outputs']['artifacts'][number]) => ({
  ...{ path, checksum },
  ...(metadata.completeness === undefined ? {} : { completeness: metadata.completeness }),
  ...sharedIn(metadata),
});

const outputsOf = ({ tree }: Draft): RunRecord['executions'][number]['outputs'] =>
  tree.artifacts.map(({ path, checksum, metadata }) => ({ path, sha256: checksum, ...sharedIn(metadata) }));

/** What the record keeps of it. Who wants nothing kept has nothing kept that inputs or outputs could be told by. */
function entryOf(draft: Draft, result: SkillExecutionResult, { code }: ExitMeaning): RunRecord['executions'][number] {
  const { run, id, phase, skill, found, isCancelled } = draft;
  const isKept = run.request.construct.capture.enabled;
  return {
    ...{ execution_id: id, phase: phase.name, skill: skill.name, status: isCancelled ? 'cancelled' : result.status, exit_code: code },
    ...{
      skill_sha256: skillDigest(run, skill, found),
      inputs_sha256: isKept ? draft.inputsHash : '',
      outputs: isKept ? outputsOf(draft) : [],
    },
    ...{ attempts: draft.attempts, duration_ms: result.duration_ms },
    ...(draft.review?.decides ? { review: draft.review.id } : {}),
  };
}

export function resultOf(draft: Draft, ended: ExitMeaning): SkillExecutionResult {
  const { run, id, skill, found, last, tree, startedAt, startedMs, sideEffects } = draft;
  const claim = last?.claim ?? noClaim;
  const at = run.ground.now();
  const told = new Set(tree.sideEffects.map(({ target }) => target));
  return {
    ...{ execution_id: id, skill_id: skill.name, skill_version: found.version, status: ended.status, exit_code: ended.code },
    ...{ started_at: startedAt, completed_at: at < startedAt ? startedAt : at },
    duration_ms: Math.round(run.ground.monotonicMs() - startedMs),
    inputs: { provided: draft.inputs, defaults_used: run.request.defaults, missing: draft.missing },
    outputs: {
      primary: draft.primary,
      artifacts: tree.artifacts,
      side_effects: [...tree.sideEffects, ...sideEffects.filter(({ type, target }) => type !== 'file_write' || !told.has(target))],
    },
    diagnostics: {
      gates_passed: ([0, 1, 2, 3, 4] as const).map(
        (gate) => draft.gates.find((one) => one.gate === gate) ?? gateWithout(gate, 'not_reached', at),
      ),
      ...{ errors: draft.errors, warnings: draft.warnings, retries: draft.retries },
    },
    assessment: {
      ...{ confidence: claim.confidence, goal_statement: claim.goalStatement, evidence: claim.evidence },
      human_review_requested: claim.isReviewRequested,
    },
  };
}
