import { setTimeout as sleep } from 'node:timers/promises';
import { type GatewayCall, isForPerson } from '../../src/core/errors/catalog.ts';
import type { Call } from '../../src/dispatch/dispatch.ts';
import { findHonestEnd, isPassing, isReplacement } from './ends.ts';
import { type CallerContext, type ErrorBody, runLine, type StepResult, sendCall } from './run-line.ts';
import { parseShellLine } from './shell-line.ts';

/** A call that failed, with what is needed to repeat it. */
export interface FailedCall {
  operation: string;
  /** Describes the parameters or the command line, for messages. */
  describe(): string;
  caller: CallerContext;
  error: ErrorBody;
  /** The caller stopped waiting for the call. */
  isCancelled?: boolean | undefined;
  /** Returns the error with the calls that a client without a shell gets. */
  addCalls(): Promise<ErrorBody>;
  /** Repeats the call. Undefined if it did not parse: then repeating it cannot succeed. */
  repeat?: ((caller: CallerContext) => Promise<StepResult>) | undefined;
}

/** The commands that were run, and how the last one ended. */
export interface Trail {
  steps: { command: string; exitCode: number; isPassing?: boolean }[];
  end: string;
  isDeadEnd: boolean;
}

/** More steps than this are not a way out. */
const maxSteps = 16;
/** A command that takes longer than this is reported. Without the limit one command that never ends would stop the whole test run. */
const maxStepMs = 300_000;
/** The tool of a cancelled call may never end: its caller stops waiting again after this time. */
const cancelAfterMs = 1000;

class DeadEnd extends Error {}

/** Sends the call of a fix. It must end as the command does. Of errors that pass by themselves, another one may come first. */
export async function compareCall({ caller }: FailedCall, call: GatewayCall, { steps: [first] }: Trail): Promise<string | undefined> {
  const { exitCode, error } = await sendCall(caller, toCall(call));
  if (first?.isPassing && error && isPassing(error)) return undefined;
  return exitCode === first?.exitCode ? undefined : `the call ${JSON.stringify(call).slice(0, 300)} ends with ${exitCode}`;
}

function toCall({ tool, domain, operation, ...rest }: GatewayCall): Call {
  return { ...rest, operation: `${domain}.${operation}`, gateway: tool, kind: tool === 'cleo_query' ? 'query' : 'mutate' };
}

/** Follows the fix of a cancelled call, and cancels it as well. It must succeed or be cancelled with the same error. */
export async function followCancelled({ caller, error }: FailedCall, command: string, call: GatewayCall): Promise<Trail> {
  const step = await sendCall(caller, { ...toCall(call), signal: AbortSignal.timeout(cancelAfterMs) });
  const isDeadEnd = step.error !== undefined && step.error.code !== error.code;
  const end = step.error ? (isDeadEnd ? `the cancelled call fails with ${step.error.code}` : 'later') : 'done';
  return { steps: [{ command, exitCode: step.exitCode }], end, isDeadEnd };
}

/** Runs a command that an error suggests, then the fix of each error that follows, until the call succeeds or the caller has to choose. */
export async function followCommand(failed: FailedCall, command: string, isFix: boolean): Promise<Trail> {
  const steps: Trail['steps'] = [];
  try {
    // An alternative is another way, which the caller chooses: the call need not succeed after it.
    const end = isFix
      ? await followFix(failed, steps, [])
      : await followFix({ ...failed, error: { ...failed.error, fix: command }, repeat: undefined }, steps, [], true);
    return { steps, end, isDeadEnd: false };
  } catch (error) {
    if (!(error instanceof DeadEnd)) throw error;
    return { steps, end: error.message, isDeadEnd: true };
  }
}

type Failure = Omit<FailedCall, 'describe' | 'addCalls'>;

/** Runs the fix of a failure and, if it changed something, the failed call again. Returns the name of the end. */
async function followFix(failure: Failure, steps: Trail['steps'], earlier: string[], isAlternative = false): Promise<string> {
  const { error, operation, repeat } = failure;
  if ((error.details?.manual && !isAlternative) || isForPerson(error.fix)) return 'manual';
  if (steps.length > 0 && isPassing(error)) return 'later';
  // Only the caller has the content; a test would wait for standard input.
  if (/ -(?= |$)/.test(error.fix)) return 'input';
  const key = `${operation} ${error.code} ${error.fix}`;
  if (earlier.includes(key)) throw new DeadEnd(`the same error again: ${error.code}`);
  const seen = [...earlier, key];
  const runFix = (caller: CallerContext): Promise<StepResult> => runStep(caller, error.fix, steps);
  let { caller } = failure;
  let step = await runFix(caller);
  if (step.error) {
    const later = becomeAgent(caller, error.fix);
    const end = await followFix({ operation: step.operation?.name ?? '', caller: later, error: step.error, repeat: runFix }, steps, seen);
    if (end !== 'done') return end;
    step = { ...step, error: undefined, exitCode: 0 };
  }
  caller = leaveEndedSession(caller, step, error.fix);
  const isWrite = step.operation !== undefined && step.operation.kind !== 'query' && !isPreview(step);
  if (isAlternative) return 'alternative';
  if (!isWrite) {
    const end = findHonestEnd(error, step, operation);
    if (end === undefined) throw new DeadEnd(`${step.operation?.name} shows nothing that helps`);
    return end;
  }
  if (!repeat || step.operation?.name === operation) return 'done';
  if (isReplacement(error, step)) return `instead: ${error.code} ${step.operation?.name}`;
  const again = await endInTime(repeat(caller));
  steps.push({ command: '(the call again)', exitCode: again.exitCode });
  if (!again.error) return 'done';
  if (again.error.code !== error.code || again.error.fix !== error.fix)
    return followFix({ operation, caller, error: again.error, repeat }, steps, seen);
  const end = findHonestEnd(error, step, operation);
  if (end === undefined) throw new DeadEnd('the call fails again with the same error');
  return end;
}

async function runStep(caller: CallerContext, command: string, steps: Trail['steps']): Promise<StepResult> {
  if (steps.length >= maxSteps) throw new DeadEnd('too many steps');
  const step = await endInTime(runLine(caller, command));
  steps.push({ command, exitCode: step?.exitCode ?? -1, isPassing: step?.error !== undefined && isPassing(step.error) });
  if (!step) throw new DeadEnd('only a shell can run this, and details.manual does not say so');
  return step;
}

async function endInTime<T>(step: Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const late = sleep(maxStepMs, undefined, { signal: timeout.signal }).then(() => {
    throw new DeadEnd(`the next step did not end within ${maxStepMs / 1000} s`);
  });
  try {
    return await Promise.race([step, late]);
  } finally {
    timeout.abort();
    late.catch(() => {});
  }
}

const isPreview = ({ result }: StepResult): boolean => (result.data as { dryRun?: boolean } | undefined)?.dryRun === true;

/** Returns the caller under the name that the command sets: one that works as a second agent keeps its name. */
function becomeAgent(caller: CallerContext, command: string): CallerContext {
  const agent = parseShellLine(command)?.[0]?.env.CLEO_AGENT_ID;
  return agent === undefined ? caller : { ...caller, env: { ...caller.env, CLEO_AGENT_ID: agent } };
}

/** A caller that has ended its session does not name it again. */
function leaveEndedSession(caller: CallerContext, { operation }: StepResult, command: string): CallerContext {
  const { CLEO_SESSION_ID: session, ...env } = caller.env;
  return operation?.name === 'session.end' && session && command.includes(session) ? { ...caller, env } : caller;
}
