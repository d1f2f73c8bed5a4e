import { join } from 'node:path';
import { classifyName } from '#lib/secrets.ts';
import type { ProcessResult, ScratchFolder } from '#platform/runner/port.ts';
import type { Artifact, SideEffect, Warning } from '../model/execution.ts';
import { formatKilledProcesses } from '../rules/gate/gate.ts';
import {
  type ExitMeaning,
  emptyClaim,
  isReservedExitCode,
  parseClaim,
  parseSkillEvent,
  type SkillClaim,
  toReportedArtifact,
  toSideEffect,
} from '../rules/skill-contract.ts';
import { getVars } from './artifacts.ts';
import {
  type AttemptLimit,
  addWarnings,
  checkPreconditionGate,
  type Execution,
  explainSkillExit,
  explainStop,
  getSubject,
} from './gates.ts';
import { listVariables, type RunContext } from './run-context.ts';

export interface AttemptOutcome {
  end: ProcessResult;
  claim: SkillClaim;
  warnings: Warning[];
  /** Files that the skill reported as artifacts. */
  files: string[];
}

interface AttemptsOutcome {
  ended: ExitMeaning;
  /** True if the skill ran to its end, so that the execution, output and goal gates can be checked. */
  isComplete: boolean;
}

/** Runs a skill until it succeeds, fails for good, or has no retries or time left. */
export async function runAttempts(run: RunContext, execution: Execution, argv: string[]): Promise<AttemptsOutcome> {
  const { platform, signal } = run;
  const { phase, skill, deadlineAt } = execution;
  const maxAttempts = 1 + (skill.maxRetries ?? phase.maxRetries);
  for (;;) {
    if (signal.aborted) return cancelExecution(run, execution);
    const limit = getAttemptLimit(run, execution);
    if (limit === undefined) return failByDeadline(run, execution);
    execution.attempts += 1;
    const attempt = execution.attempts;
    const subject = { ...getSubject(execution), attempt };
    run.emit('attempt_started', { program: (argv[0] ?? '').replace(`${platform.root}/`, ''), timeout_ms: limit.timeoutMs }, subject);
    const outcome = await runAttempt(run, execution, argv, limit.timeoutMs);
    const { end, claim } = outcome;
    execution.lastAttempt = outcome;
    execution.timedOut = end.timedOut ? limit : undefined;
    execution.sideEffects.push(...claim.sideEffects);
    execution.claimedFiles.push(...outcome.files);
    for (const artifact of claim.artifacts)
      if (execution.reportedArtifacts.every(({ path }) => path !== artifact.path)) execution.reportedArtifacts.push(artifact);
    const ended = (isRunnerExit(end) ? explainStop : explainSkillExit)(run, execution, end.exitCode);
    run.emit('attempt_completed', { exit_code: ended.code, class: ended.class, duration_ms: end.durationMs, bytes: end.bytes }, subject);
    addWarnings(execution, ...outcome.warnings);
    if (end.problem) execution.errors.push({ code: ended.name, message: end.problem });
    if (end.cancelled) return cancelExecution(run, execution);
    addWarnings(execution, ...listAttemptWarnings(execution, outcome, ended));
    if (attempt >= maxAttempts || !phase.retryOn.includes(ended.class)) return { ended, isComplete: true };
    const { computeRetryDelayMs } = await import('../rules/retry.ts');
    const delayMs = computeRetryDelayMs(execution.id, attempt, claim.retryAfterMs);
    if (deadlineAt !== undefined && platform.monotonicMs() + delayMs >= deadlineAt) return { ended, isComplete: true };
    execution.retries.push({
      attempt,
      exit_code: ended.code,
      class: ended.class,
      duration_ms: end.durationMs,
      delay_ms: delayMs,
      reason: ended.name,
    });
    run.emit('execution_progress', { kind: 'note', note: `${ended.name}: retrying`, retry_in_ms: delayMs }, subject);
    await platform.sleep(delayMs, signal);
    if (signal.aborted) return cancelExecution(run, execution);
    // The inputs may be gone by now. Handoffs are not evaluated again, because the first attempt may have changed their files.
    const blocked = await checkPreconditionGate(run, execution);
    if (blocked !== undefined) return { ended: explainStop(run, execution, blocked), isComplete: false };
  }
}

function cancelExecution(run: RunContext, execution: Execution): AttemptsOutcome {
  execution.isCancelled = true;
  return { ended: explainStop(run, execution, 130), isComplete: false };
}

/** Ends an execution for which the other executions of the phase left no time. */
function failByDeadline(run: RunContext, execution: Execution): AttemptsOutcome {
  const { phase, skill, errors } = execution;
  errors.push({ code: 'timeout', message: `the deadline of phase ${phase.name} passed before ${skill.name} started` });
  return { ended: explainStop(run, execution, 81), isComplete: false };
}

/** The timeout of the next attempt, at most the time left until the deadline of the phase; undefined after the deadline. */
function getAttemptLimit({ platform, request }: RunContext, { phase, skill, deadlineAt }: Execution): AttemptLimit | undefined {
  const own = request.timeoutMs ?? skill.timeoutMs ?? phase.timeoutMs;
  if (deadlineAt === undefined) return { timeoutMs: own, isOwn: true };
  const left = Math.floor(deadlineAt - platform.monotonicMs());
  if (left <= 0) return undefined;
  return own > 0 && own <= left ? { timeoutMs: own, isOwn: true } : { timeoutMs: left, isOwn: false };
}

/** True if the runner assigned the exit code. A contract need not declare such a code. */
const isRunnerExit = ({ timedOut, problem }: ProcessResult): boolean => timedOut || problem !== undefined;

function listAttemptWarnings({ phase }: Execution, { end, claim }: AttemptOutcome, { code, status }: ExitMeaning): Warning[] {
  const warnings: Warning[] = [];
  if (end.leaked > 0) warnings.push({ code: 'leaked_process', message: formatKilledProcesses(end.leaked) });
  if (end.isTruncated) warnings.push({ code: 'truncated_output', message: 'the output is longer than the limit and was truncated' });
  if (claim.status !== null && claim.status !== status)
    warnings.push({ code: 'status_mismatch', message: `the skill reports ${claim.status}, but its exit code means ${status}` });
  if (isRunnerExit(end)) return warnings;
  if (isReservedExitCode(code)) warnings.push({ code: 'reserved_exit_code', message: `exit code ${code} is reserved for frameworks` });
  if (phase.declaresExitCodes && !(code in phase.exitCodes))
    warnings.push({ code: 'undeclared_exit_code', message: `exit code ${code} is not declared by phase ${phase.name}` });
  return warnings;
}

/** Runs one subprocess with the files it may write for the runner. */
async function runAttempt(run: RunContext, execution: Execution, argv: string[], timeoutMs: number): Promise<AttemptOutcome> {
  const { platform, record, redactor } = run;
  const { phase, skill, attempts: attempt } = execution;
  const request = createSkillRequest(run, execution);
  const folder = run.request.construct.capture.enabled
    ? platform.runs.createAttemptFolder(record.run_id, phase.name, skill.name, attempt)
    : undefined;
  if (folder !== undefined) {
    const stored = redactor.value({ ...request, inputs: captureInputs(run, execution.inputs) });
    platform.runs.write(record.run_id, `${phase.name}/${skill.name}/${attempt}/stdin.json`, `${JSON.stringify(stored)}\n`, 'soon');
  }
  const scratch = platform.createScratch(record.run_id);
  const events = readEvents(run, execution, scratch);
  let end: ProcessResult;
  let written: ReturnType<ScratchFolder['takeResult']>;
  try {
    end = await platform.runSkill({
      argv,
      shell: skill.run !== undefined && skill.shell,
      folder: platform.root,
      env: createEnvironment(run, execution, scratch),
      stdin: JSON.stringify(request),
      timeoutMs,
      killGraceMs: phase.killGraceMs,
      environmentMark: `CLEO_EXECUTION_ID=${execution.id}`,
      inheritedHandle: scratch.folder,
      ...(folder === undefined ? {} : { logs: { stdout: join(folder, 'stdout.log'), stderr: join(folder, 'stderr.log') } }),
      redactor,
      signal: events.signal,
    });
  } finally {
    events.stop();
    written = scratch.takeResult();
  }
  const { warnings, sideEffects, files, artifacts } = events.collect();
  const parsed = written.result === undefined || written.result.trim() === '' ? undefined : parseClaim(written.result, redactor.value);
  const claim = parsed?.claim ?? emptyClaim;
  return {
    end,
    files,
    claim: { ...claim, sideEffects: [...claim.sideEffects, ...sideEffects], artifacts: [...claim.artifacts, ...artifacts] },
    warnings: [
      ...written.problems.map((problem) => ({ code: 'invalid_result', message: `ignored: ${problem}` })),
      ...(parsed?.problems ?? []).map((problem) => ({ code: 'invalid_result', message: `CLEO_RESULT: ${problem}` })),
      ...warnings,
      ...claim.warnings,
    ],
  };
}

/** The JSON object on the standard input of a skill. */
function createSkillRequest(run: RunContext, { id, phase, skill, info, inputs, attempts: attempt }: Execution): Record<string, unknown> {
  const vars = getVars(run, phase.name);
  return {
    protocol: 'cleo-skill/1',
    run_id: run.record.run_id,
    execution_id: id,
    phase: phase.name,
    skill: skill.name,
    attempt,
    intent: run.request.intent ?? null,
    inputs,
    artifacts: phase.inputs.flatMap((spec) => run.artifacts.find(spec, vars).files.map(({ path, sha256 }) => ({ path, sha256 }))),
    outputs_expected: phase.outputs.map((spec) => ({ ...spec, path: run.artifacts.find(spec, vars).spec.path })),
    ...(skill.run === undefined && info.command === undefined ? { skill_text: info.text ?? '' } : {}),
  };
}

function createEnvironment(
  { platform, record, request }: RunContext,
  { id, phase, skill, attempts: attempt }: Execution,
  scratch: ScratchFolder,
): Record<string, string> {
  return {
    ...platform.selectSkillEnvironment(listVariables(request, skill)),
    CLEO_RUN_ID: record.run_id,
    CLEO_EXECUTION_ID: id,
    CLEO_PHASE: phase.name,
    CLEO_SKILL: skill.name,
    CLEO_ATTEMPT: String(attempt),
    CLEO_RESULT: scratch.result,
    CLEO_EVENTS: scratch.events,
    TRACEPARENT: `00-${platform.hash(record.run_id).slice(0, 32)}-${platform.hash(`${id}:${attempt}`).slice(0, 16)}-01`,
  };
}

const eventPollMs = 100;
const maxEvents = 1000;
const progressKinds = { progress: 'note', warning: 'note', artifact: 'artifact_created', side_effect: 'side_effect' } as const;

/** Writes the events of a skill to the trace while it runs. A write error aborts the skill, which would otherwise run without a trace. */
function readEvents(run: RunContext, execution: Execution, scratch: ScratchFolder) {
  const subject = { ...getSubject(execution), attempt: execution.attempts };
  const failed = new AbortController();
  const warnings: Warning[] = [];
  const sideEffects: SideEffect[] = [];
  const files: string[] = [];
  const artifacts: Artifact[] = [];
  let count = 0;
  let invalid = 0;
  const readEvent = (line: string): void => {
    count += 1;
    if (count > maxEvents) return;
    const event = parseSkillEvent(line, run.redactor.value);
    if (!event) {
      invalid += 1;
      return;
    }
    const { type, message, value } = event;
    const effect = type === 'side_effect' ? toSideEffect(value) : undefined;
    if (effect) sideEffects.push(effect);
    if (type === 'warning') warnings.push({ code: toShortText(value.code) ?? 'skill_warning', message });
    const target = toShortText(value.path) ?? toShortText(value.target);
    const artifact = type === 'artifact' ? toReportedArtifact(value) : undefined;
    if (artifact) artifacts.push(artifact);
    else if (type === 'artifact' && target) files.push(target);
    const location = target ? { [type === 'side_effect' ? 'target' : 'path']: target } : {};
    run.emit('execution_progress', { kind: progressKinds[type], note: message, ...location }, subject);
  };
  const poll = (isEnd = false): void => {
    if (failed.signal.aborted) return;
    try {
      for (const line of scratch.readLines(isEnd)) readEvent(line);
    } catch (error) {
      failed.abort(error);
    }
  };
  const timer = setInterval(poll, eventPollMs);
  return {
    signal: AbortSignal.any([run.signal, failed.signal]),
    stop(): void {
      clearInterval(timer);
      poll(true);
    },
    collect() {
      if (failed.signal.aborted) throw failed.signal.reason;
      if (invalid > 0) warnings.push({ code: 'invalid_event', message: `${invalid} lines of CLEO_EVENTS are not events` });
      if (count > maxEvents)
        warnings.push({ code: 'invalid_event', message: `${count - maxEvents} events over the limit of ${maxEvents} were ignored` });
      return { warnings, sideEffects, files, artifacts };
    },
  };
}

const toShortText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined);

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
