import { defined } from '#lib/collections.ts';
import type { PhaseSpec, SkillSpec } from '../model/construct.ts';
import { runGateNames, type SkillExecutionResult, type Warning } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import { checkExecution, createUncheckedGate, type GateCheck, measureFulfilment, toGateResult } from '../rules/gate/gate.ts';
import {
  type ExitMeaning,
  emptyClaim,
  explainExit,
  isOptionalAndAbsent,
  parsePrimary,
  resolveSkillCommand,
} from '../rules/skill-contract.ts';
import { classifyChanges, getVars, hashOutputs, pickSharedWith } from './artifacts.ts';
import { captureInputs, runAttempts } from './attempts.ts';
import {
  addWarnings,
  checkGoalGate,
  checkPhaseOutputs,
  checkPreconditionGate,
  checkPrimaryOutput,
  checkSelectionGate,
  createExecution,
  type Execution,
  type ExecutionOutcome,
  explainStop,
  getResultPath,
  getSubject,
  hashSkill,
  noSkill,
  passGate,
  recordGate,
  skipGates,
  toOutcome,
} from './gates.ts';
import type { RunContext } from './run-context.ts';

/** Executes one skill in one phase: the gates before it, its attempts, and the gates after it. Every outcome has a result. `enterPhase`
 *  completes the execution with the state of its phase; it is not called if an earlier result is reused. */
export async function executeSkill(
  run: RunContext,
  phase: PhaseSpec,
  skill: SkillSpec,
  enterPhase: (execution: Execution) => void,
): Promise<ExecutionOutcome> {
  const { resume, reusable, construct } = run.request;
  const execution = await createExecution(run, phase, skill);
  if (resume || reusable.length > 0) {
    const reused = await (await import('./reuse.ts')).reuseResult(run, execution);
    if (reused) return reused;
  }
  enterPhase(execution);
  if (isOptionalAndAbsent(skill, execution.info)) return skipSkill(run, execution);

  if (skill === noSkill) skipGates(run, execution, 'selection');
  else recordGate(run, execution, await checkSelectionGate(run, execution));
  const blocked = await checkPreconditionGate(run, execution);
  if (blocked !== undefined) return finishExecution(run, execution, explainStop(run, execution, blocked));
  if (skill === noSkill) return checkPhaseWithoutSkill(run, execution);

  const command = resolveSkillCommand(skill, execution.info, construct.executor);
  if ('code' in command) {
    execution.errors.push({ code: command.name, message: command.problem });
    return finishExecution(run, execution, explainStop(run, execution, command.code));
  }
  await emitInvocation(run, execution);
  const hashesBefore = hashOutputs(run, phase);
  await execution.tracker.start(skill.name);
  const { ended, isComplete } = await runAttempts(run, execution, command.argv);
  await recordChanges(run, execution, hashesBefore);
  await openRequestedReview(run, execution, ended);
  return isComplete ? checkLaterGates(run, execution, ended) : finishExecution(run, execution, ended);
}

function skipSkill(run: RunContext, execution: Execution): ExecutionOutcome {
  addWarnings(execution, { code: 'skill_skipped', message: `${execution.skill.name} does not exist and is optional` });
  skipGates(run, execution, ...runGateNames);
  execution.isSkipped = true;
  return finishExecution(run, execution, explainExit(0));
}

async function checkPhaseWithoutSkill(run: RunContext, execution: Execution): Promise<ExecutionOutcome> {
  execution.isSkipped = true;
  addWarnings(execution, {
    code: 'phase_without_skill',
    message: `phase ${execution.phase.name} has no skill; only its gates were checked`,
  });
  skipGates(run, execution, 'execution');
  if (!(await passOutputGate(run, execution))) return finishExecution(run, execution, explainStop(run, execution, 84));
  skipGates(run, execution, 'goal');
  return finishExecution(run, execution, explainExit(0));
}

async function emitInvocation(run: RunContext, execution: Execution): Promise<void> {
  const { platform } = run;
  const { skill, info, inputs } = execution;
  const { intent, taskId, sessionId } = run.request;
  const git = await platform.readGitState();
  const bytes = new TextEncoder().encode(JSON.stringify({ intent: intent ?? null, inputs })).length;
  run.emit(
    'skill_invoked',
    {
      skill_id: skill.name,
      version: info.version,
      operator_type: platform.detectOperator(),
      input_summary: captureInputs(run, inputs),
      context_size: { bytes, tokens_est: Math.ceil(bytes / 4) },
      memory_state: {
        git_head: git?.head ?? null,
        dirty_files: git?.dirtyFiles ?? null,
        session_id: sessionId ?? null,
        task_id: taskId ?? null,
      },
    },
    getSubject(execution),
  );
}

/** Records the files that the skill changed, as artifacts and side effects. */
async function recordChanges(run: RunContext, execution: Execution, hashesBefore: Map<string, string>): Promise<void> {
  const { phase, skill, sideEffects, claimedFiles, written } = execution;
  const claimed = sideEffects.filter(({ type }) => type === 'file_write').map(({ target }) => target);
  const own = await execution.tracker.end(skill.name, [...claimed, ...claimedFiles]);
  const changes = classifyChanges(run, phase, own, hashesBefore, sideEffects);
  execution.changes = changes;
  for (const path of changes.written) written.add(path);
  addWarnings(execution, ...changes.warnings);
  const subject = getSubject(execution);
  for (const { path, metadata } of changes.artifacts)
    run.emit('execution_progress', { kind: 'artifact_created', path, ...pickSharedWith(metadata) }, subject);
  for (const { target, description } of changes.sideEffects)
    run.emit('execution_progress', { kind: 'side_effect', target, description, sha256: hashSmallFile(run, target) }, subject);
}

function hashSmallFile({ platform }: RunContext, path: string): string | null {
  const entry = platform.statFile(path);
  return entry?.kind === 'file' && entry.size <= 2 ** 20 ? platform.hashFile(path) : null;
}

/** Opens a review if the skill asked for one or exited with an escalation. */
async function openRequestedReview(run: RunContext, execution: Execution, ended: ExitMeaning): Promise<void> {
  const claim = execution.lastAttempt?.claim ?? emptyClaim;
  if (execution.isCancelled || (!claim.isReviewRequested && ended.class !== 'escalate')) return;
  const reason = claim.isReviewRequested ? 'the skill asked for it' : `the skill exited with ${ended.code} (${ended.name})`;
  const goal = claim.goalStatement ?? run.request.intent ?? null;
  const { openReview } = await import('./reviews.ts');
  execution.review = { id: openReview(run, execution, { kind: 'requested', goal, reason, score: null }), decides: false };
}

/** Checks the execution, output and goal gates, up to the first that blocks. */
async function checkLaterGates(run: RunContext, execution: Execution, ended: ExitMeaning): Promise<ExecutionOutcome> {
  const { phase, skill, timedOut } = execution;
  const end = execution.lastAttempt?.end;
  const facts = { meaning: ended, timedOutMs: timedOut?.timeoutMs, leaked: end?.leaked ?? 0, isTruncated: end?.isTruncated ?? false };
  recordGate(run, execution, toGateResult('execution', checkExecution(facts), phase.gates.execution.severity, run.platform.now()));
  if (ended.class !== 'success') return finishExecution(run, execution, ended);

  execution.primary = parsePrimary(end?.stdout ?? new Uint8Array());
  run.primaries[skill.name] = execution.primary;
  run.printed.set(skill.name, () => readStdoutLog(run, run.record.run_id, phase.name, skill.name, execution.attempts));
  if (!(await passOutputGate(run, execution))) return finishExecution(run, execution, explainStop(run, execution, 84));

  const goal = await checkGoalGate(run, execution);
  if (!goal) {
    execution.isCancelled = true;
    return finishExecution(run, execution, explainStop(run, execution, 130));
  }
  const { overridden } = recordGate(run, execution, goal.result);
  addWarnings(execution, ...goal.warnings);
  if (goal.code === 0 || overridden) return finishExecution(run, execution, ended);
  if (goal.awaits !== undefined) {
    execution.review = { id: goal.awaits, decides: true };
    execution.errors.push({ code: 'goal_pending', message: `review ${goal.awaits} decides whether the goal was reached` });
  }
  return finishExecution(run, execution, explainStop(run, execution, goal.code));
}

/** Checks the output gate. Outputs that later executions of the phase may still write are advisory; the primary output never is. */
async function passOutputGate(run: RunContext, execution: Execution): Promise<boolean> {
  const { phase, skill } = execution;
  const primary = skill === noSkill ? [] : checkPrimaryOutput(run, execution);
  const outputs = await checkPhaseOutputs(run, execution);
  const isLast = execution.isLast();
  const advisory = [...(isLast ? [] : outputs), ...execution.checkOnwardHandoffs()].map(
    (check): GateCheck => ({ ...check, isAdvisory: true }),
  );
  const stale = outputs.filter(({ name, passed }) => name === 'stale_output' && !passed);
  if (isLast) addWarnings(execution, ...stale.map(({ message }): Warning => ({ code: 'stale_output', message })));
  return passGate(run, execution, 'output', [...primary, ...(isLast ? outputs : []), ...advisory], phase.gates.output.severity);
}

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
