import type { Phase, SkillSpec } from '../model/construct.ts';
import type { GateResult, PhaseHandoff, Problem, RetryAttempt, SkillExecutionResult, Warning } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import type { Snapshot } from '../model/tree.ts';
import type { SkillFound } from '../platform/ground-port.ts';
import { canonical } from '../rules/canonical.ts';
import { type ExitMeaning, isReserved, meaningOf } from '../rules/exit-class.ts';
import { executionChecks } from '../rules/gate/execution.ts';
import { forced, gateOf, gateWithout, type Judged, stopsAt } from '../rules/gate/gate.ts';
import { retryDelayMs } from '../rules/retry.ts';
import { noClaim } from '../rules/skill-claim.ts';
import { type AttemptOutcome, attempt } from './attempt.ts';
import { captured, capturedOutput } from './capture.ts';
import { goalGate } from './goal.ts';
import { outputsOf, requiredOutputs, type TreeOutcome, touchedBy } from './outputs.ts';
import { preconditions } from './preconditions.ts';
import { type Run, skillDigest, varsOf } from './run-state.ts';
import { selectionGate } from './selection.ts';

export interface Executed {
  result: SkillExecutionResult;
  meaning: ExitMeaning;
  attempts: number;
  isSkipped: boolean;
  isCancelled: boolean;
}

interface Draft {
  run: Run;
  phase: Phase;
  skill: SkillSpec;
  found: SkillFound;
  id: string;
  startedAt: string;
  startedMs: number;
  gates: GateResult[];
  errors: Problem[];
  warnings: Warning[];
  retries: RetryAttempt[];
  attempts: number;
  inputs: Record<string, unknown>;
  inputsHash: string;
  last?: AttemptOutcome;
  tree: TreeOutcome;
  primary: unknown;
  isCancelled: boolean;
}

/** One skill in one phase, with all its attempts: gates before, the skill, gates after, and a result whatever came of it. */
export async function execute(
  run: Run,
  phase: Phase,
  skill: SkillSpec,
  handoffs: PhaseHandoff[],
  onward: () => Judged[],
): Promise<Executed> {
  const { ground, request } = run;
  const draft: Draft = {
    ...{ run, phase, skill, found: ground.findSkill(skill.name, skill.path) },
    ...{ id: `${run.record.run_id}:${phase.name}:${skill.name}`, startedAt: ground.now(), startedMs: ground.monotonicMs() },
    ...{ gates: [], errors: [], warnings: [], retries: [], attempts: 0, primary: null, isCancelled: false },
    ...{ inputs: { ...run.primaries, ...request.inputs }, inputsHash: '', tree: { artifacts: [], sideEffects: [], warnings: [] } },
  };
  if (!skill.required && draft.found.folder === undefined && skill.run === undefined) return skipped(draft);
  draft.inputsHash = inputsHash(draft);
  const known = request.reusable.find((one) => isUnchanged(draft, one));
  if (known) return reused(draft, known);

  record(draft, await selectionGate(run, skill.name, ground.now()));
  const before = await preconditions(run, phase, handoffs);
  if (!pass(draft, 1, before.checks)) return finish(draft, meaning(draft, before.code));

  const argv = commandFor(draft);
  if (typeof argv === 'number') return finish(draft, meaning(draft, argv));
  if (argv.length === 0) return { ...(await judge(draft, meaningOf(0), onward)), isSkipped: true };
  await invoked(draft);
  const was = await ground.scan();
  const ended = await attempts(draft, argv, handoffs);
  await look(draft, was);
  return judge(draft, ended, onward);
}

/** Everything that decides what a skill would do: the same again is not worth doing twice. */
function inputsHash({ run, phase, inputs }: Draft): string {
  const vars = varsOf(run, phase.name);
  const files = phase.inputs.flatMap((spec) => run.lookout.find(spec, vars).files.map(({ path, sha256 }) => [path, sha256]));
  return run.ground.hash(canonical({ inputs, intent: run.request.intent ?? null, files }));
}

function isUnchanged({ run, phase, skill, found, inputsHash: hash }: Draft, one: RunRecord['executions'][number]): boolean {
  if (one.phase !== phase.name || one.skill !== skill.name || one.status !== 'success') return false;
  if (one.skill_sha256 !== skillDigest(run, skill, found) || one.inputs_sha256 !== hash) return false;
  return one.outputs.every(({ path, sha256 }) => {
    const [file] = run.ground.look(path).files;
    return file?.kind === 'file' && run.ground.hash(run.ground.read(path)) === sha256;
  });
}

/** What was done before and would come out the same. */
function reused(draft: Draft, known: RunRecord['executions'][number]): Executed {
  const { run, phase, skill } = draft;
  const log = run.ground.runs.read(known.execution_id.split(':')[0]!, `${phase.name}/${skill.name}/${known.attempts}/stdout.log`);
  if (log !== undefined) run.primaries[skill.name] = primaryOf(new TextEncoder().encode(log));
  for (const { path, sha256 } of known.outputs) run.left.set(path, sha256);
  run.tell(
    'execution_progress',
    { kind: 'note', note: `${skill.name} is not run again: nothing it depends on has changed` },
    aboutOf(draft),
  );
  run.record.executions.push(known);
  run.save();
  const gates = ([0, 1, 2, 3, 4] as const).map((gate) => gateWithout(gate, 'skipped', draft.startedAt));
  return { result: resultOf({ ...draft, gates }, meaningOf(0)), meaning: meaningOf(0), attempts: 0, isSkipped: true, isCancelled: false };
}

function skipped(draft: Draft): Executed {
  draft.warnings.push({ code: 'skill_skipped', message: `${draft.skill.name} is not there, and need not be` });
  draft.gates = ([0, 1, 2, 3, 4] as const).map((gate) => gateWithout(gate, 'skipped', draft.startedAt));
  return { ...finish(draft, meaningOf(0)), isSkipped: true };
}

/** The skill's own program, else what runs skills that are only texts; else the code that says what is missing. */
function commandFor({ run, skill, found, errors }: Draft): string[] | 126 | 127 {
  if (skill.run) return skill.run;
  if (found.folder === undefined) {
    errors.push({ code: 'not_found', message: `there is no skill ${skill.name}` });
    return 127;
  }
  const argv = found.command ?? run.request.construct.executor;
  if (!argv) errors.push({ code: 'not_executable', message: `${found.folder} has nothing to run, and there is no execution.executor` });
  return argv ?? 126;
}

async function invoked(draft: Draft): Promise<void> {
  const { run, skill, found, inputs } = draft;
  const git = await run.ground.git();
  const { intent, taskId, sessionId } = run.request;
  run.tell(
    'skill_invoked',
    {
      skill_id: skill.name,
      version: found.version,
      operator_type: run.ground.operator(),
      input_summary: captured(run, inputs),
      context_size: sizeOf(JSON.stringify({ intent: intent ?? null, inputs })),
      memory_state: {
        git_head: git?.head ?? null,
        dirty_files: git?.dirtyFiles ?? null,
        session_id: sessionId ?? null,
        task_id: taskId ?? null,
      },
    },
    aboutOf(draft),
  );
}

const sizeOf = (text: string): { bytes: number; tokens_est: number } => {
  const bytes = new TextEncoder().encode(text).length;
  return { bytes, tokens_est: Math.ceil(bytes / 4) };
};

/** As often as its limits allow. */
async function attempts(draft: Draft, argv: string[], handoffs: PhaseHandoff[]): Promise<ExitMeaning> {
  const { run, phase, skill, found, retries } = draft;
  const { ground, request } = run;
  const timeoutMs = request.timeoutMs ?? skill.timeoutMs ?? phase.timeoutMs;
  const most = 1 + (skill.maxRetries ?? phase.maxRetries);
  const vars = varsOf(run, phase.name);
  const said = {
    ...{ protocol: 'cleo-skill/1', run_id: run.record.run_id, execution_id: draft.id, phase: phase.name, skill: skill.name },
    ...{ intent: request.intent ?? null, inputs: draft.inputs },
    artifacts: phase.inputs.flatMap((spec) => run.lookout.find(spec, vars).files.map(({ path, sha256 }) => ({ path, sha256 }))),
    outputs_expected: phase.outputs.map((spec) => ({ ...spec, path: run.lookout.find(spec, vars).spec.path })),
    ...(skill.run === undefined && found.command === undefined ? { skill_text: found.text ?? '' } : {}),
  };
  for (;;) {
    const number = draft.attempts + 1;
    draft.attempts = number;
    const about = { ...aboutOf(draft), attempt: number };
    run.tell('attempt_started', { program: (argv[0] ?? '').replace(`${ground.root}/`, ''), timeout_ms: timeoutMs }, about);
    const outcome = await attempt(run, { executionId: draft.id, phase, skill, found, argv, attempt: number, request: said, timeoutMs });
    draft.last = outcome;
    const { end } = outcome;
    const ended = meaning(draft, end.exitCode);
    draft.warnings.push(...outcome.warnings);
    for (const event of outcome.events) run.tell('execution_progress', { kind: kindOf(event.type), note: event.message }, about);
    run.tell('attempt_completed', { exit_code: ended.code, class: ended.class, duration_ms: end.durationMs, bytes: end.bytes }, about);
    if (end.problem) draft.errors.push({ code: ended.name, message: end.problem });
    draft.isCancelled = end.cancelled;
    if (end.cancelled || number >= most || !phase.retryOn.includes(ended.class)) return ended;
    const delayMs = retryDelayMs(draft.id, number, outcome.claim.retryAfterMs);
    const spent = ground.monotonicMs() - draft.startedMs;
    if (phase.deadlineMs !== undefined && spent + delayMs > phase.deadlineMs) return ended;
    retries.push({
      attempt: number,
      exit_code: ended.code,
      class: ended.class,
      duration_ms: end.durationMs,
      delay_ms: delayMs,
      reason: ended.name,
    });
    run.tell('execution_progress', { kind: 'note', note: `${ended.name}: it is tried again`, retry_in_ms: delayMs }, about);
    await ground.pause(delayMs, run.signal);
    const again = await preconditions(run, phase, handoffs);
    if (run.signal.aborted) return ended;
    if (!pass(draft, 1, again.checks)) return meaning(draft, again.code);
  }
}

const kindOf = (type: string): string => (type === 'artifact' ? 'artifact_created' : type === 'side_effect' ? 'side_effect' : 'note');

async function look(draft: Draft, before: Snapshot): Promise<void> {
  const { run, phase } = draft;
  draft.tree = touchedBy(run, phase, before, await run.ground.scan());
  draft.warnings.push(...draft.tree.warnings);
  for (const { path } of draft.tree.artifacts) run.tell('execution_progress', { kind: 'artifact_created', path }, aboutOf(draft));
  for (const { target } of draft.tree.sideEffects) run.tell('execution_progress', { kind: 'side_effect', target }, aboutOf(draft));
}

/** Gates 2 to 4, as far as it gets. */
async function judge(draft: Draft, ended: ExitMeaning, onward: () => Judged[]): Promise<Executed> {
  const { run, phase, last, skill } = draft;
  const { end, claim } = last ?? { end: undefined, claim: noClaim };
  if (end) remark(draft, ended);
  if (draft.isCancelled) return finish(draft, ended);
  const facts = { meaning: ended, timedOut: end?.timedOut ?? false, leaked: end?.leaked ?? 0, isTruncated: end?.isTruncated ?? false };
  const ran = gateOf(2, executionChecks(facts), phase.gates.execution.severity, run.ground.now());
  record(draft, ran);
  if (ended.class !== 'success') return finish(draft, ended);
  draft.primary = primaryOf(end?.stdout ?? new Uint8Array());
  run.primaries[skill.name] = draft.primary;
  const checks = await outputsOf(run, phase, draft.tree.touched ?? new Set(), draft.primary);
  const isFit = pass(draft, 3, [...checks, ...onward().map((one): Judged => ({ ...one, isRemark: true }))]);
  if (!isFit) return finish(draft, meaning(draft, 84));
  const goal = await goalGate(run, phase, {
    id: draft.id,
    skill: skill.name,
    goal: claim.goalStatement,
    evidence: claim.evidence,
    artifacts: draft.tree.artifacts,
    isReviewRequested: claim.isReviewRequested,
  });
  record(draft, goal.result);
  draft.warnings.push(...goal.warnings);
  return finish(draft, goal.code === 0 ? ended : meaning(draft, goal.code));
}

/** What is odd about how it ended. */
function remark({ last, warnings, phase }: Draft, { code, status }: ExitMeaning): void {
  const { end, claim } = last!;
  if (end.leaked > 0) warnings.push({ code: 'leaked_process', message: `${end.leaked} processes were left running, and were ended` });
  if (end.isTruncated) warnings.push({ code: 'truncated_output', message: 'it printed more than is kept' });
  if (isReserved(code)) warnings.push({ code: 'reserved_exit_code', message: `${code} is kept for frameworks` });
  if (phase.declaresExitCodes && !(code in phase.exitCodes) && !end.timedOut)
    warnings.push({ code: 'undeclared_exit_code', message: `${code} is not among the codes of ${phase.name}` });
  if (claim.status !== null && claim.status !== status)
    warnings.push({ code: 'status_mismatch', message: `the skill says ${claim.status}; its exit code says ${status}` });
}

/** Checks a gate; true where the work may go on. */
function pass(draft: Draft, gate: 1 | 3, checks: Judged[]): boolean {
  const { run, phase } = draft;
  const { severity } = gate === 1 ? phase.gates.precondition : phase.gates.output;
  const judged = gateOf(gate, checks, severity, run.ground.now());
  const { force } = run.request;
  const result = force?.gate === gate && !judged.passed ? forced(judged) : judged;
  record(draft, result);
  return !stopsAt(result);
}

/** Keeps the result of a gate; that of an earlier look at the same one is no longer true. */
function record(draft: Draft, result: GateResult): void {
  draft.gates = [...draft.gates.filter(({ gate }) => gate !== result.gate), result];
  const failures = result.details.failures;
  draft.run.tell(
    'gate_checked',
    {
      gate_id: result.gate,
      name: result.name,
      status: result.status,
      passed: result.passed,
      severity: result.severity,
      checks_performed: result.details.checks_performed,
      failures_if_any: failures,
      remediation_attempted: false,
      ...(result.overridden ? { overridden: true, reason: draft.run.request.force?.reason ?? null } : {}),
    },
    aboutOf(draft),
  );
  if (!result.passed && result.status === 'failed')
    for (const { name, message } of failures)
      (result.severity === 'block' ? draft.errors : draft.warnings).push({ code: `gate_${result.name}`, message: `${name}: ${message}` });
}

const aboutOf = ({ id, phase, skill }: Draft) => ({ execution_id: id, phase: phase.name, skill: skill.name });

const meaning = ({ run, phase }: Draft, code: number): ExitMeaning => meaningOf(code, run.request.construct.exitCodes, phase.exitCodes);

function finish(draft: Draft, ended: ExitMeaning): Executed {
  const { run, id, phase, skill, found, last, isCancelled } = draft;
  const result = resultOf(draft, ended);
  const kept = run.redactor.value({
    ...result,
    inputs: { ...result.inputs, provided: captured(run, result.inputs.provided) },
    outputs: { ...result.outputs, primary: run.request.construct.capture.outputs === 'full' ? result.outputs.primary : null },
  });
  if (run.request.construct.capture.enabled)
    run.ground.runs.write(
      run.record.run_id,
      `${phase.name}/${skill.name}/${Math.max(1, draft.attempts)}/result.json`,
      `${JSON.stringify(kept)}\n`,
    );
  run.tell(
    'execution_complete',
    {
      status: result.status,
      exit_code: ended.code,
      class: ended.class,
      duration_ms: result.duration_ms,
      outputs_summary: {
        ...capturedOutput(run, last?.end.stdout ?? new Uint8Array(), draft.primary),
        artifacts: result.outputs.artifacts.map(({ path, checksum }) => ({ path, checksum })),
        ...(run.request.construct.capture.outputs === 'none' ? {} : { required: requiredOutputs(run, phase) }),
      },
      side_effects: result.outputs.side_effects.length,
      retries: draft.retries,
      errors: result.diagnostics.errors,
      warnings: result.diagnostics.warnings,
      usage: last?.claim.usage ?? null,
      confidence: last?.claim.confidence ?? null,
    },
    aboutOf(draft),
  );
  const outputs = result.outputs.artifacts.map(({ path, checksum }) => ({ path, sha256: checksum }));
  for (const { path, sha256 } of outputs) run.left.set(path, sha256);
  run.record.executions = [
    ...run.record.executions.filter(({ execution_id }) => execution_id !== id),
    {
      ...{ execution_id: id, phase: phase.name, skill: skill.name, status: result.status, exit_code: ended.code },
      ...{
        skill_sha256: skillDigest(run, skill, found),
        inputs_sha256: draft.inputsHash,
        outputs,
        attempts: draft.attempts,
        duration_ms: result.duration_ms,
      },
    },
  ];
  run.save();
  return { result, meaning: ended, attempts: draft.attempts, isSkipped: false, isCancelled };
}

function resultOf(draft: Draft, ended: ExitMeaning): SkillExecutionResult {
  const { run, id, skill, found, last, tree, startedAt, startedMs } = draft;
  const claim = last?.claim ?? noClaim;
  const missing = draft.gates.find(({ gate }) => gate === 1)?.details.failures.flatMap(({ evidence }) => evidence.path ?? []) ?? [];
  const at = run.ground.now();
  return {
    execution_id: id,
    skill_id: skill.name,
    skill_version: found.version,
    status: ended.status,
    exit_code: ended.code,
    started_at: startedAt,
    completed_at: at,
    duration_ms: Math.round(run.ground.monotonicMs() - startedMs),
    inputs: { provided: draft.inputs, defaults_used: [], missing: [...new Set(missing)] },
    outputs: { primary: draft.primary, artifacts: tree.artifacts, side_effects: [...tree.sideEffects, ...claim.sideEffects] },
    diagnostics: {
      gates_passed: ([0, 1, 2, 3, 4] as const).map(
        (gate) => draft.gates.find((one) => one.gate === gate) ?? gateWithout(gate, 'not_reached', at),
      ),
      errors: draft.errors,
      warnings: draft.warnings,
      retries: draft.retries,
    },
    assessment: {
      confidence: claim.confidence,
      goal_statement: claim.goalStatement,
      evidence: claim.evidence,
      human_review_requested: claim.isReviewRequested,
    },
  };
}

/** One JSON value, or a text. */
export function primaryOf(stdout: Uint8Array): unknown {
  const text = new TextDecoder().decode(stdout);
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
