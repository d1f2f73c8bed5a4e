import { CleoError } from '#core/errors/error.ts';
import type { Redactor } from '#lib/redactor.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { toSkillError } from '../errors/skill.ts';
import type { PhaseSpec, SkillSpec } from '../model/construct.ts';
import type { PhaseHandoff, RunProblem, Warning } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import { createSkillSpec } from '../rules/construct/conventions.ts';
import { formatKilledProcesses } from '../rules/gate/gate.ts';
import { type ExitMeaning, explainExit } from '../rules/skill-contract.ts';
import { formatStopRequest, parseStopRequest, stopFile } from '../rules/stop-request.ts';
import { createFileChangeTracker } from './artifacts.ts';
import { executeSkill } from './execution.ts';
import { checkHandoff, type Execution, type ExecutionOutcome, noSkill } from './gates.ts';
import { openRun, type RunContext, type RunRequest, type RunSetup } from './run-context.ts';

export interface RunOutcome {
  record: RunRecord;
  /** Redacts everything that is shown of the run. */
  redactor: Redactor;
  executed: PhaseOutcome['executed'];
  handoffs: PhaseHandoff[];
  warnings: Warning[];
  /** True if a resume can read the inputs from the folder of the run. Known only for a run that failed. */
  hasStoredInputs: boolean;
  /** The execution that made the run fail. */
  deciding?: { phase: string; skill: string; problem: string; meaning: ExitMeaning };
}

/** Runs the phases of a new or resumed run under the lock of its construct and project. */
export async function runPhases(platform: RunnerPlatform, request: RunRequest, setup: RunSetup): Promise<RunOutcome> {
  const runId = request.resume?.run_id ?? platform.createRunId();
  const { waitMs, waitCommand: fix } = request;
  const lock = await platform.acquireLock(getLockName(platform, request), waitMs, { run: runId, signal: setup.signal, fix });
  try {
    const resume = request.resume && (await import('./resume.ts'));
    resume?.checkNotActive(platform, runId);
    const warnings = [...(await killLeftoverProcesses(platform, request, lock)), ...(await pruneIfDue(platform))];
    const stop = listenForStop(platform, runId);
    try {
      const stoppable = { ...setup, signal: AbortSignal.any([setup.signal, stop.signal]) };
      const run = resume ? await resume.resumeRun(platform, request, stoppable) : openRun(platform, runId, request, stoppable);
      run.warnings.push(...warnings);
      return await completeRun(run, stop.message);
    } finally {
      stop.end();
    }
  } finally {
    lock.release();
  }
}

async function completeRun(run: RunContext, readStopMessage: () => string | undefined): Promise<RunOutcome> {
  try {
    const outcome = await runAllPhases(run);
    const message = readStopMessage();
    if (message) run.warnings.push({ code: 'stopped', message });
    return await finishRun(run, outcome);
  } catch (error) {
    recordFailure(run, error);
    throw error;
  } finally {
    run.trace.close();
    await settleRun(run);
  }
}

const getLockName = (platform: RunnerPlatform, { construct, project }: RunRequest): string =>
  `lock-${platform.hash(`${construct.file}\n${construct.name}\n${project}`).slice(0, 16)}`;

/** Kills processes of a dead runner first: they would write into the files of the new run. */
async function killLeftoverProcesses(
  platform: RunnerPlatform,
  { resume }: RunRequest,
  { warning, abandoned }: { warning?: string; abandoned?: string },
): Promise<Warning[]> {
  const warnings: Warning[] = warning ? [{ code: 'stale_lock', message: warning }] : [];
  for (const id of new Set([abandoned, resume?.run_id])) {
    const killed = id === undefined ? 0 : await platform.cleanUpRun(id);
    if (killed > 0) warnings.push({ code: 'leaked_process', message: `${id}: ${formatKilledProcesses(killed)}` });
  }
  return warnings;
}

/** Prunes expired runs at most once a day. */
async function pruneIfDue(platform: RunnerPlatform): Promise<Warning[]> {
  const now = platform.now();
  if (platform.traces.readLastPrune().slice(0, 10) === now.slice(0, 10)) return [];
  const { problem } = await (await import('./prune.ts')).pruneDaily(platform, now);
  return problem ? [{ code: 'prune_failed', message: problem }] : [];
}

async function runAllPhases(run: RunContext): Promise<RunOutcome> {
  const { record, redactor, request, warnings } = run;
  const outcome: RunOutcome = { record, redactor, executed: [], handoffs: [], warnings, hasStoredInputs: false };
  for (const phase of request.construct.phases.filter(({ name }) => request.phases.includes(name))) {
    if (run.signal.aborted) break;
    const { executed, handoffs } = await runPhase(run, phase);
    outcome.executed.push(...executed);
    outcome.handoffs.push(...handoffs);
    const failed = executed.find(({ outcome: { meaning } }) => meaning.class !== 'success');
    if (!failed) continue;
    const { meaning, result } = failed.outcome;
    const problem = summarizeProblems(result.diagnostics.errors) ?? `${failed.skill} exited with ${meaning.code} (${meaning.name})`;
    return { ...outcome, deciding: { phase: failed.phase, skill: failed.skill, problem, meaning } };
  }
  return outcome;
}

/** The first problem and the number of others with the same code. Several failed checks of the execution gate describe one exit. */
function summarizeProblems([first, ...others]: RunProblem[]): string | undefined {
  const more = first?.code === 'gate_execution' ? 0 : others.filter(({ code }) => code === first?.code).length;
  return first && (more > 0 ? `${first.message} (and ${more} more)` : first.message);
}

async function finishRun(run: RunContext, outcome: RunOutcome): Promise<RunOutcome> {
  const isCancelled = outcome.executed.some((one) => one.outcome.isCancelled) || run.signal.aborted;
  const { status, code } = outcome.deciding?.meaning ?? explainExit(0);
  closeRun(run, isCancelled ? { status: 'cancelled', code: 130 } : { status, code });
  if (run.record.exit_code === 0) return outcome;
  const { readStoredInputs } = await import('./run-inputs.ts');
  return { ...outcome, hasStoredInputs: readStoredInputs(run.platform, run.record) !== undefined };
}

/** Writes the end of a run to its trace and its record. */
export function closeRun(run: RunContext, { status, code }: { status: RunRecord['status']; code: number }): void {
  const { record, redactor, platform, warnings } = run;
  const now = platform.now();
  Object.assign(record, { status, exit_code: code, completed_at: now < record.started_at ? record.started_at : now });
  const counts = redactor.counts();
  if (Object.keys(counts).length > 0) run.emit('redaction_applied', { rules: counts });
  run.emit('run_completed', { status, exit_code: code, warnings });
  run.save();
}

/** Records an error of the runner as the end of the run, if the files can still be written. */
function recordFailure(run: RunContext, error: unknown): void {
  const code = error instanceof CleoError ? toSkillError(error).exitCode : 70;
  try {
    closeRun(run, { status: 'failure', code });
  } catch {
    // The disk is full or the folder is gone. The run is listed as crashed.
  }
}

/** Does what is not possible while the run is active: appends reviews that were resolved in the meantime, and removes a run with a
 *  retention of 0 days. Neither changes the outcome. Reviews that cannot be appended now are appended with the next one. */
export async function settleRun({ platform, record }: RunContext): Promise<void> {
  if (record.status === 'running') return;
  if (record.trace && platform.reviews.read().includes(record.run_id))
    await (await import('./append-reviews.ts')).appendReviews(platform, record.run_id).catch(() => undefined);
  if (record.retention_days === 0) await (await import('./prune.ts')).pruneFinishedRun(platform, record.run_id, platform.now());
}

interface PhaseOutcome {
  /** In the order of declaration. */
  executed: { phase: string; skill: string; outcome: ExecutionOutcome }[];
  handoffs: PhaseHandoff[];
}

/** Runs the skills of one phase, one after the other or in parallel. */
async function runPhase(run: RunContext, phase: PhaseSpec): Promise<PhaseOutcome> {
  const skills = listSkills(run, phase);
  const outcomes = new Map<string, ExecutionOutcome>();
  const { enter, leave, written } = await createPhaseHooks(run, phase, skills, outcomes);
  const execute = async (skill: SkillSpec, context: RunContext): Promise<ExecutionOutcome> => {
    const outcome = await executeSkill(context, phase, skill, enter);
    outcomes.set(skill.name, outcome);
    // The files of a reused execution belong to this run: they are not stale.
    for (const path of outcome.reusedOutputs ?? []) written.add(path);
    return outcome;
  };
  if (run.request.construct.type === 'parallel') await runParallel(run, skills, execute);
  else
    for (const skill of skills) {
      const { meaning } = await execute(skill, run);
      if (meaning.class !== 'success' || run.signal.aborted) break;
    }
  const handoffs = leave();
  const executed = skills.flatMap(({ name }) => {
    const outcome = outcomes.get(name);
    return outcome ? [{ phase: phase.name, skill: name, outcome }] : [];
  });
  return { executed, handoffs };
}

/** `enter` gives an execution the state that all executions of the phase share. The phase is entered with the first execution that runs;
 *  a reused execution does not enter it. */
async function createPhaseHooks(run: RunContext, phase: PhaseSpec, skills: SkillSpec[], outcomes: Map<string, ExecutionOutcome>) {
  const { platform, request } = run;
  const all = request.construct.handoffs.filter(({ from, to }) => from === phase.name || to === phase.name);
  const handoffModule = all.length > 0 ? await import('./handoffs.ts') : undefined;
  const incoming = all.filter(({ to }) => to === phase.name);
  const outgoing = all.filter(({ from }) => from === phase.name);
  const tracker = createFileChangeTracker(platform);
  const written = new Set<string>();
  const reached = new Set<string>();
  let entered: Pick<Execution, 'handoffs' | 'deadlineAt'> | undefined;
  return {
    written,
    enter(execution: Execution): void {
      const { skill } = execution;
      if (!entered) {
        run.emit('execution_progress', { kind: 'phase_entered' }, { phase: phase.name });
        const handoffs = incoming.map((spec) => handoffModule!.receiveHandoff(run, spec));
        entered = { handoffs, ...(phase.deadlineMs === undefined ? {} : { deadlineAt: platform.monotonicMs() + phase.deadlineMs }) };
      }
      Object.assign(execution, entered, {
        written,
        tracker,
        isLast: () => {
          reached.add(skill.name);
          return isLastSkill(run, skills, skill, (other) => reached.has(other) || outcomes.has(other));
        },
        checkOnwardHandoffs: () =>
          outgoing.map((spec) => {
            // No hashes: changes by other executions of the phase are expected.
            const handoff = handoffModule!.createHandoff(run, spec, new Map());
            // From now on artifacts must not change, even those that existed before the run.
            for (const { path, checksum } of handoff.artifacts.provided) run.artifactHashes.set(path, checksum);
            return checkHandoff(handoff);
          }),
      } satisfies Partial<Execution>);
    },
    leave(): PhaseHandoff[] {
      if (!entered) return incoming.flatMap((spec) => handoffModule!.readStoredHandoff(run, spec));
      run.emit('execution_progress', { kind: 'phase_exited' }, { phase: phase.name });
      return entered.handoffs;
    },
  };
}

/** True if no other skill of the phase is still to come. An optional skill that does not exist does not count. */
function isLastSkill(run: RunContext, skills: SkillSpec[], skill: SkillSpec, isDone: (skill: string) => boolean): boolean {
  if (run.request.construct.type === 'parallel') return skills.every(({ name }) => name === skill.name || isDone(name));
  return skills.slice(skills.indexOf(skill) + 1).every(({ name, path, required, run: argv }) => {
    return !required && argv === undefined && !run.platform.hasSkill(name, path);
  });
}

/** Runs skills in parallel, at most `maxConcurrency` at a time. No skill receives the output of another, because the order in which they
 *  end is random. If one fails with an error of the runner, the others are aborted. */
async function runParallel(
  run: RunContext,
  skills: SkillSpec[],
  execute: (skill: SkillSpec, context: RunContext) => Promise<ExecutionOutcome>,
): Promise<void> {
  const maxConcurrency = run.request.construct.maxConcurrency ?? Math.min(4, run.platform.cpuCount);
  const failed = new AbortController();
  const signal = AbortSignal.any([run.signal, failed.signal]);
  const all = skills.map((skill) => {
    const context: RunContext = { ...run, signal, primaries: { ...run.primaries }, printed: new Map(run.printed) };
    return { skill, context };
  });
  const queue = [...all];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift())
      await execute(next.skill, next.context).catch((error: unknown) => {
        failed.abort(error);
        throw error;
      });
  };
  await Promise.allSettled(Array.from({ length: Math.min(maxConcurrency, skills.length) }, work));
  if (failed.signal.aborted) throw failed.signal.reason;
  for (const { skill, context } of all) {
    const log = context.printed.get(skill.name);
    if (log) run.printed.set(skill.name, log);
    if (skill.name in context.primaries) run.primaries[skill.name] = context.primaries[skill.name];
  }
}

/** The skills of a phase, or `noSkill` so that the gates of a phase without skills are checked. */
function listSkills({ request }: RunContext, phase: PhaseSpec): SkillSpec[] {
  const skills = phase.skills.map((name) => request.construct.skills.find((skill) => skill.name === name) ?? createSkillSpec(name));
  return skills.length > 0 ? skills : [noSkill];
}

const pollMs = 250;

/** Aborts a signal when `construct stop` asks this process to stop the run. A file works on every system and in containers, where a signal
 *  to the process would not. `message` says who asked. */
export function listenForStop(
  platform: RunnerPlatform,
  runId: string,
): { signal: AbortSignal; message(): string | undefined; end(): void } {
  const controller = new AbortController();
  const own = platform.identifyProcess();
  let message: string | undefined;
  const timer = setInterval(() => {
    const request = parseStopRequest(platform.runs.read(runId, stopFile), own);
    if (!request) return;
    clearInterval(timer);
    message = formatStopRequest(request);
    controller.abort();
  }, pollMs);
  timer.unref();
  return { signal: controller.signal, message: () => message, end: () => clearInterval(timer) };
}
