import type { ProcessEnd } from '#platform/ground-port.ts';
import type { ExitMeaning } from '../rules/exit-class.ts';
import { isReserved } from '../rules/exit-class.ts';
import { leftRunning } from '../rules/gate/execution.ts';
import { retryDelayMs } from '../rules/retry.ts';
import { type AttemptOutcome, attempt } from './attempt.ts';
import { type AttemptLimit, aboutOf, type Draft, meaning, pass, refusal, warn } from './draft.ts';
import { preconditions } from './preconditions.ts';
import { varsOf } from './run-state.ts';

export interface Attempted {
  ended: ExitMeaning;
  /** It ran to an end of its own: the gates behind it can be asked. */
  isJudged: boolean;
}

/** As often as its limits allow. */
export async function attempts(draft: Draft, argv: string[]): Promise<Attempted> {
  const { run, phase, skill, retries, around } = draft;
  const { ground } = run;
  const most = 1 + (skill.maxRetries ?? phase.maxRetries);
  for (;;) {
    if (run.signal.aborted) return cancelled(draft);
    const limit = limitOf(draft);
    if (limit === undefined) return outOfTime(draft);
    const { timeoutMs } = limit;
    const number = draft.attempts + 1;
    draft.attempts = number;
    const about = { ...aboutOf(draft), attempt: number };
    run.tell('attempt_started', { program: (argv[0] ?? '').replace(`${ground.root}/`, ''), timeout_ms: timeoutMs }, about);
    const outcome = await attempt(draft, argv, timeoutMs, requestOf(draft));
    const { end, claim } = outcome;
    draft.last = outcome;
    draft.timedOut = end.timedOut ? limit : undefined;
    draft.sideEffects.push(...claim.sideEffects);
    draft.claimedFiles.push(...outcome.files);
    const ended = (isOwn(end) ? refusal : meaning)(draft, end.exitCode);
    run.tell('attempt_completed', { exit_code: ended.code, class: ended.class, duration_ms: end.durationMs, bytes: end.bytes }, about);
    warn(draft, ...outcome.warnings);
    if (end.problem) draft.errors.push({ code: ended.name, message: end.problem });
    if (end.cancelled) return cancelled(draft);
    remark(draft, outcome, ended);
    if (number >= most || !phase.retryOn.includes(ended.class)) return { ended, isJudged: true };
    const delayMs = retryDelayMs(draft.id, number, claim.retryAfterMs);
    if (around.deadlineAt !== undefined && ground.monotonicMs() + delayMs >= around.deadlineAt) return { ended, isJudged: true };
    retries.push({
      ...{ attempt: number, exit_code: ended.code, class: ended.class },
      ...{ duration_ms: end.durationMs, delay_ms: delayMs, reason: ended.name },
    });
    run.tell('execution_progress', { kind: 'note', note: `${ended.name}: it is tried again`, retry_in_ms: delayMs }, about);
    await ground.pause(delayMs, run.signal);
    if (run.signal.aborted) return cancelled(draft);
    // What it needs may be gone by now. What was handed over is not looked at again: its own first attempt may have changed it.
    const again = await preconditions(run, phase, around.handoffs);
    draft.missing = again.missing;
    const severity = again.isRefused ? 'block' : phase.gates.precondition.severity;
    if (!pass(draft, 1, again.checks, severity)) return { ended: refusal(draft, again.code), isJudged: false };
  }
}

function cancelled(draft: Draft): Attempted {
  draft.isCancelled = true;
  return { ended: refusal(draft, 130), isJudged: false };
}

/** Others of the phase have used up its time. */
function outOfTime(draft: Draft): Attempted {
  draft.errors.push({ code: 'timeout', message: `the time of ${draft.phase.name} was up before ${draft.skill.name} began` });
  return { ended: refusal(draft, 81), isJudged: false };
}

/** Of one attempt, within what is left to the phase; undefined where nothing is. */
function limitOf({ run, phase, skill, around }: Draft): AttemptLimit | undefined {
  const own = run.request.timeoutMs ?? skill.timeoutMs ?? phase.timeoutMs;
  if (around.deadlineAt === undefined) return { timeoutMs: own, isOwn: true };
  const left = Math.floor(around.deadlineAt - run.ground.monotonicMs());
  if (left <= 0) return undefined;
  return own > 0 && own <= left ? { timeoutMs: own, isOwn: true } : { timeoutMs: left, isOwn: false };
}

/** What it reads, as things stand now. */
function requestOf({ run, phase, skill, found, id, inputs, attempts: number }: Draft): Record<string, unknown> {
  const vars = varsOf(run, phase.name);
  return {
    ...{ protocol: 'cleo-skill/1', run_id: run.record.run_id, execution_id: id, phase: phase.name, skill: skill.name },
    ...{ attempt: number, intent: run.request.intent ?? null, inputs },
    artifacts: phase.inputs.flatMap((spec) => run.lookout.find(spec, vars).files.map(({ path, sha256 }) => ({ path, sha256 }))),
    outputs_expected: phase.outputs.map((spec) => ({ ...spec, path: run.lookout.find(spec, vars).spec.path })),
    ...(skill.run === undefined && found.command === undefined ? { skill_text: found.text ?? '' } : {}),
  };
}

/** The code is ours and not the skill's, which could not have declared it. */
const isOwn = ({ timedOut, problem }: ProcessEnd): boolean => timedOut || problem !== undefined;

/** What is odd about how an attempt ended. */
function remark(draft: Draft, { end, claim }: AttemptOutcome, { code, status }: ExitMeaning): void {
  const { phase } = draft;
  if (end.leaked > 0) warn(draft, { code: 'leaked_process', message: `${leftRunning(end.leaked)}, and ended` });
  if (end.isTruncated) warn(draft, { code: 'truncated_output', message: 'it printed more than is kept' });
  if (claim.status !== null && claim.status !== status)
    warn(draft, { code: 'status_mismatch', message: `the skill says ${claim.status}; its exit code says ${status}` });
  if (isOwn(end)) return;
  if (isReserved(code)) warn(draft, { code: 'reserved_exit_code', message: `${code} is kept for frameworks` });
  if (phase.declaresExitCodes && !(code in phase.exitCodes))
    warn(draft, { code: 'undeclared_exit_code', message: `${code} is not among the codes of ${phase.name}` });
}
