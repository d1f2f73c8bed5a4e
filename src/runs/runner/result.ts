import { defined } from '#lib/defined.ts';
import { classifyName } from '#lib/secret-names.ts';
import { runGateNames, type SkillExecutionResult } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import type { ExitMeaning } from '../rules/exit-class.ts';
import { measureFulfilment } from '../rules/gate/artifacts.ts';
import { createUncheckedGate } from '../rules/gate/gate.ts';
import { emptyClaim, parsePrimary } from '../rules/skill-claim.ts';
import { type Execution, type ExecutionOutcome, getResultPath, getSubject, hashSkill, toOutcome } from './execution-state.ts';
import { pickSharedWith } from './file-change-tracker.ts';
import { getVars, type RunContext } from './run-context.ts';

type Checkpoint = RunRecord['executions'][number];

/** Ends an execution: writes its result, its last event and its entry in the record. A blocked execution ends here too. */
export function finishExecution(run: RunContext, execution: Execution, ended: ExitMeaning): ExecutionOutcome {
  const { phase, skill, lastAttempt, attempts, retries } = execution;
  const { capture } = run.request.construct;
  const result = createResult(run, execution, ended);
  const { primary, artifacts, side_effects } = result.outputs;
  if (capture.enabled) {
    const stored = {
      ...result,
      inputs: { ...result.inputs, provided: captureInputs(run, result.inputs.provided) },
      outputs: {
        primary: capture.outputs === 'full' ? primary : null,
        ...(capture.outputs === 'none' ? { artifacts: [], side_effects: [] } : { artifacts, side_effects }),
      },
    };
    const path = getResultPath({ phase: phase.name, skill: skill.name, attempts });
    run.platform.runs.write(run.record.run_id, path, `${JSON.stringify(run.redactor.value(stored))}\n`, 'soon');
  }
  const checkpoint = createCheckpoint(run, execution, result, ended);
  run.emit(
    'execution_complete',
    {
      status: result.status,
      exit_code: ended.code,
      class: ended.class,
      duration_ms: result.duration_ms,
      ...(execution.isSkipped ? { skipped: true } : {}),
      ...(execution.isCancelled ? { cancelled: true } : {}),
      outputs_summary: {
        ...captureOutput(run, lastAttempt?.end.stdout ?? new Uint8Array()),
        ...(capture.outputs === 'none'
          ? {}
          : { artifacts: artifacts.map(summarizeArtifact), required: measureRequiredOutputs(run, execution) }),
      },
      side_effects: side_effects.length,
      retries,
      errors: result.diagnostics.errors,
      warnings: result.diagnostics.warnings,
      usage: lastAttempt?.claim.usage ?? null,
      confidence: lastAttempt?.claim.confidence ?? null,
      // The goal can be judged from the trace alone, also after the run; `assess judge` does so.
      ...(capture.outputs === 'none' ? {} : { goal_statement: result.assessment.goal_statement, evidence: result.assessment.evidence }),
      // A resume reads the checkpoint from the trace, which is written before the record.
      checkpoint,
    },
    getSubject(execution),
  );
  for (const { path, sha256 } of listOutputs(execution)) run.artifactHashes.set(path, sha256);
  saveCheckpoint(run, checkpoint);
  return toOutcome(execution, result, ended);
}

/** Stores the checkpoint of an execution in the record, in place of an earlier one. */
export function saveCheckpoint(run: RunContext, checkpoint: Checkpoint): void {
  const { executions } = run.record;
  const at = executions.findIndex(({ execution_id }) => execution_id === checkpoint.execution_id);
  run.record.executions = at < 0 ? [...executions, checkpoint] : executions.with(at, checkpoint);
  run.saveSoon();
}

const summarizeArtifact = ({ path, checksum, metadata }: SkillExecutionResult['outputs']['artifacts'][number]) => ({
  path,
  checksum,
  ...defined({ completeness: metadata.completeness }),
  ...pickSharedWith(metadata),
});

/** The required outputs of the phase and how complete they are, for the assessment. */
function measureRequiredOutputs(run: RunContext, { phase }: Execution): { path: string; schema: string | null; completeness: number }[] {
  const vars = getVars(run, phase.name);
  return phase.outputs
    .filter(({ required }) => required)
    .map((spec) => run.artifacts.find(spec, vars))
    .map((artifact) => ({ path: artifact.spec.path, schema: artifact.spec.schema, completeness: measureFulfilment(artifact) }));
}

const listOutputs = ({ changes }: Execution): Checkpoint['outputs'] =>
  changes.artifacts.map(({ path, checksum, metadata }) => ({ path, sha256: checksum, ...pickSharedWith(metadata) }));

/** The entry of an execution in the record. With capture disabled it holds neither hashes of inputs nor outputs. */
function createCheckpoint(run: RunContext, execution: Execution, result: SkillExecutionResult, { code }: ExitMeaning): Checkpoint {
  const { id, phase, skill, attempts, inputsHash, isCancelled, review } = execution;
  const { enabled } = run.request.construct.capture;
  return {
    execution_id: id,
    phase: phase.name,
    skill: skill.name,
    status: isCancelled ? 'cancelled' : result.status,
    exit_code: code,
    skill_sha256: hashSkill(run, execution),
    inputs_sha256: enabled ? inputsHash : '',
    outputs: enabled ? listOutputs(execution) : [],
    attempts,
    duration_ms: result.duration_ms,
    ...(review?.decides ? { review: review.id } : {}),
  };
}

export function createResult(run: RunContext, execution: Execution, ended: ExitMeaning): SkillExecutionResult {
  const { id, skill, info, lastAttempt, changes, startedAt, startedMs, sideEffects, gates } = execution;
  const claim = lastAttempt?.claim ?? emptyClaim;
  const now = run.platform.now();
  const reported = new Set(changes.sideEffects.map(({ target }) => target));
  return {
    execution_id: id,
    skill_id: skill.name,
    skill_version: info.version,
    status: ended.status,
    exit_code: ended.code,
    started_at: startedAt,
    completed_at: now < startedAt ? startedAt : now,
    duration_ms: Math.round(run.platform.monotonicMs() - startedMs),
    inputs: { provided: execution.inputs, defaults_used: run.request.defaults, missing: execution.missing },
    outputs: {
      primary: execution.primary,
      artifacts: [...changes.artifacts, ...execution.reportedArtifacts],
      side_effects: [...changes.sideEffects, ...sideEffects.filter(({ type, target }) => type !== 'file_write' || !reported.has(target))],
    },
    diagnostics: {
      gates_passed: runGateNames.map((name) => gates.find((gate) => gate.name === name) ?? createUncheckedGate(name, 'not_reached', now)),
      errors: execution.errors,
      warnings: execution.warnings,
      retries: execution.retries,
    },
    assessment: {
      confidence: claim.confidence,
      goal_statement: claim.goalStatement,
      evidence: claim.evidence,
      human_review_requested: claim.isReviewRequested,
    },
  };
}

export const readStdoutLog = ({ platform }: RunContext, runId: string, phase: string, skill: string, attempt: number): string | undefined =>
  platform.runs.read(runId, `${phase}/${skill}/${attempt}/stdout.log`);

/** The form of inputs in traces and files: their number, keyed hashes, or the values, which are redacted when written. */
export function captureInputs(run: RunContext, inputs: Record<string, unknown>): unknown {
  const { capture } = run.request.construct;
  if (!capture.enabled || capture.inputs === 'none') return { fields: Object.keys(inputs).length };
  if (capture.inputs === 'full') return inputs;
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [run.redactor.text(name), hashInput(run, name, value)]));
}

/** Hash, type and length of a value. A value with a secret-like name is redacted as a whole, because even its length is telling. */
function hashInput({ platform, redactor }: RunContext, name: string, value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  if (classifyName(name) !== undefined) return (redactor.value({ secret: text }) as { secret: string }).secret;
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return { hash: `hmac-sha256:${platform.hmac(text)}`, type, length: text.length };
}

const maxFields = 200;

/** The form of a skill's stdout in the trace. */
export function captureOutput(run: RunContext, stdout: Uint8Array): Record<string, unknown> {
  const { capture } = run.request.construct;
  if (!capture.enabled || capture.outputs === 'none') return {};
  const primary = parsePrimary(stdout) ?? '';
  const isObject = typeof primary === 'object' && !Array.isArray(primary);
  const summary = {
    bytes: stdout.length,
    lines: countLines(stdout),
    sha256: run.platform.hash(stdout),
    content_type: typeof primary === 'string' ? 'text/plain' : 'application/json',
    // Not named `keys`: the redactor hides values of keys with that word.
    ...(isObject ? { fields: Object.keys(primary).slice(0, maxFields) } : {}),
  };
  return capture.outputs === 'full' ? { ...summary, content: primary } : summary;
}

const countLines = (bytes: Uint8Array): number => bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
