import { CleoError } from '#core/errors/error.ts';
import { isSecretVariable, type RedactorOptions, redactorOf } from '#lib/redactor.ts';
import type { Redactor } from '#lib/redactor-port.ts';
import type { Ground } from '#platform/ground-port.ts';
import { asSkillRefusal } from '../errors/skill.ts';
import type { PhaseHandoff, Problem, Warning } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import { type ExitMeaning, meaningOf } from '../rules/exit-class.ts';
import { leftRunning } from '../rules/gate/execution.ts';
import { secretNames } from './attempt.ts';
import type { Executed } from './draft.ts';
import { lookoutOf } from './found.ts';
import { inputsFile, keptInputs } from './kept-asked.ts';
import { onePhase } from './phase.ts';
import { markOf, type Run, type RunRequest } from './run-state.ts';
import type { AllSchemas } from './schemas.ts';

export interface RunOutcome {
  record: RunRecord;
  /** For whatever is shown of it. */
  redactor: Redactor;
  executed: { phase: string; skill: string; outcome: Executed }[];
  handoffs: PhaseHandoff[];
  warnings: Warning[];
  /** Whoever goes on with it need not give them again. */
  hasKeptInputs: boolean;
  /** Of what decided how it ended, where that was not success. */
  deciding?: { phase: string; skill: string; problem: string; meaning: ExitMeaning };
}

export interface Surroundings {
  signal: AbortSignal;
  patterns: RedactorOptions['patterns'];
  schemas: AllSchemas;
  /** Told of everything that happens, as it happens. */
  observe: Run['tell'];
}

/** A run from its first phase to its last, or to where it has to end. */
export async function runPhases(ground: Ground, request: RunRequest, surroundings: Surroundings): Promise<RunOutcome> {
  const runId = request.resume?.run_id ?? ground.newId();
  const { waitMs, waiting: fix } = request;
  const lock = await ground.lock(lockName(ground, request), waitMs, { run: runId, signal: surroundings.signal, fix });
  try {
    const warnings = await clearedAway(ground, request, lock);
    const left = await tidied(ground);
    const run = request.resume
      ? await (await import('./gone-on.ts')).goneOnWith(ground, request, runId, (now) => begin(ground, runId, now, surroundings))
      : begin(ground, runId, request, surroundings);
    run.warnings.push(...warnings);
    if (left) run.warnings.push({ code: 'prune_failed', message: left });
    try {
      return await phases(run);
    } catch (error) {
      broken(run, error);
      throw error;
    } finally {
      run.trace.close();
      await settle(run);
    }
  } finally {
    lock.release();
  }
}

/** Runs that have had their time go when another begins, once a day; what went wrong with that. */
async function tidied(ground: Ground): Promise<string | undefined> {
  const now = ground.now();
  if (ground.traces.lookedAt().slice(0, 10) === now.slice(0, 10)) return undefined;
  return (await (await import('./prune.ts')).pruneDaily(ground, now)).problem;
}

/** What could not be done while it went on: to tell its trace what reviewers have said meanwhile, and to forget it, if that is wanted.
 *  Neither changes how it ended: what is not told now, the next word of a reviewer tells. */
async function settle({ ground, record }: Run): Promise<void> {
  if (record.status === 'running') return;
  if (record.trace && ground.reviews.text().includes(record.run_id))
    await (await import('./review-trace.ts')).tellTrace(ground, record.run_id).catch(() => undefined);
  if (record.retention_days === 0) await (await import('./prune.ts')).pruneEnded(ground, record.run_id, ground.now());
}

const lockName = (ground: Ground, { construct, project }: RunRequest): string =>
  `lock-${ground.hash(`${construct.file}\n${construct.name}\n${project}`).slice(0, 16)}`;

/** What a runner that was killed left running would write into what is begun now: it is ended first. */
async function clearedAway(
  ground: Ground,
  { resume }: RunRequest,
  { warning, abandoned }: { warning?: string; abandoned?: string },
): Promise<Warning[]> {
  if (resume) (await import('./gone-on.ts')).checkEnded(ground, resume.run_id);
  const warnings: Warning[] = warning ? [{ code: 'stale_lock', message: warning }] : [];
  for (const id of new Set([abandoned, resume?.run_id])) {
    const ended = id === undefined ? 0 : await ground.clearAway(id);
    if (ended > 0) warnings.push({ code: 'leaked_process', message: `${id}: ${leftRunning(ended)}, and ended` });
  }
  return warnings;
}

function begin(ground: Ground, runId: string, request: RunRequest, { signal, patterns, schemas, observe }: Surroundings): Run {
  const { construct, resume } = request;
  const { capture } = construct;
  const redactor = redactorFor(ground, request, patterns);
  const at = ground.now();
  const startedAt = resume?.started_at ?? at;
  const mark = (value: unknown): string => (capture.enabled ? markOf(ground, value) : '');
  const trace = capture.enabled ? ground.trace(runId, startedAt, redactor) : silent(redactor);
  const record: RunRecord = {
    ...{ schema_version: 1, run_id: runId, kind: request.kind, project: request.project, vars: request.vars },
    construct: { file: construct.file, name: construct.name, version: construct.version, sha256: construct.sha256 },
    intent: capture.enabled ? redactor.text(request.intent ?? '') || null : null,
    asked: {
      ...{ ...request.asked, phases: request.phases },
      inputs_sha256: hasInputs(request) ? mark(request.inputs) : null,
      intent_sha256: request.intent ? mark(request.intent) : null,
    },
    ...{ task_id: request.taskId ?? null, session_id: request.sessionId ?? null },
    ...{ agent: request.agent ?? null, retention_days: capture.retentionDays },
    ...{ trace: capture.enabled ? `${startedAt.slice(0, 10)}-${runId}.jsonl` : '', head: null, lines: 0 },
    ...{ ...ground.process(), started_at: startedAt, completed_at: null, status: 'running', exit_code: null },
    // What was done stays done, even if this is killed before it has looked at any of it.
    executions: resume?.executions ?? [],
  };
  const run: Run = {
    ...{ ground, request, record, redactor, trace, schemas, signal, primaries: {}, printed: new Map(), left: new Map(), departed: {} },
    warnings: trace.aside
      ? [{ code: 'torn_trace', message: `the last line of the trace was cut short; it was moved to ${trace.aside}` }]
      : [],
    lookout: lookoutOf(ground, schemas),
    tell(event, data, about) {
      observe(event, trace.write(event, data, about), about);
    },
    save() {
      // The record never knows more than the trace.
      trace.sync();
      Object.assign(record, { head: trace.head(), lines: trace.lines() });
      // What it says on the way, the trace says too.
      const how = record.completed_at === null ? 'soon' : 'durable';
      ground.runs.write(runId, 'run.json', `${JSON.stringify(redactor.value(record))}\n`, how);
    },
  };
  // The folder first: what cannot be kept is not begun.
  run.save();
  if (capture.enabled && capture.inputs === 'full' && hasInputs(request))
    ground.runs.write(runId, inputsFile, `${JSON.stringify(redactor.value(request.inputs))}\n`, 'soon');
  const order = construct.phases.map(({ name }) => name);
  if (resume)
    run.tell('run_resumed', {
      ...{ from_lines: resume.lines, manifest_sha256: construct.sha256, order },
      ...(request.changedManifest === undefined ? {} : { overridden: true, reason: request.changedManifest }),
    });
  else
    run.tell('run_started', {
      ...{ schema_version: 1, manifest_sha256: construct.sha256 },
      capture: { inputs: capture.inputs, outputs: capture.outputs },
      ...{ phases: request.phases, order },
    });
  return run;
}

const hasInputs = ({ inputs }: RunRequest): boolean => Object.keys(inputs).length > 0;

function redactorFor(ground: Ground, request: RunRequest, patterns: RedactorOptions['patterns']): Redactor {
  const { construct } = request;
  const ofSkills = construct.skills.flatMap(({ env, credentials }) => [...env, ...credentials]);
  const names = [...new Set([...secretNames({ request }, undefined), ...ofSkills])];
  const credentials = new Set([...construct.credentials, ...construct.skills.flatMap((skill) => skill.credentials)]);
  const secrets = names.filter((name) => isSecretVariable(name) || credentials.has(name)).flatMap((name) => ground.variables[name] ?? []);
  return redactorOf({ secrets, patterns, allow: construct.redaction.allow, mac: ground.mac });
}

/** For those who want nothing kept but how it ended. */
const silent = (redactor: Redactor): Run['trace'] => ({
  write: (_, data) => redactor.value(data) as Record<string, unknown>,
  head: () => 'genesis',
  lines: () => 0,
  sync: () => {},
  close: () => {},
});

async function phases(run: Run): Promise<RunOutcome> {
  const { request, warnings } = run;
  const outcome: RunOutcome = { record: run.record, redactor: run.redactor, executed: [], handoffs: [], warnings, hasKeptInputs: false };
  for (const phase of request.construct.phases.filter(({ name }) => request.phases.includes(name))) {
    if (run.signal.aborted) break;
    const done = await onePhase(run, phase);
    outcome.executed.push(...done.executed);
    outcome.handoffs.push(...done.handoffs);
    const failed = done.executed.find(({ outcome: { meaning } }) => meaning.class !== 'success');
    if (!failed) continue;
    const { meaning, result } = failed.outcome;
    const problem = problemIn(result.diagnostics.errors) ?? `${failed.skill} ended with ${meaning.code} (${meaning.name})`;
    outcome.deciding = { phase: failed.phase, skill: failed.skill, problem, meaning };
    break;
  }
  return finish(run, outcome);
}

/** The first of what is wrong, and how much else is of the same kind. How a program ended is one thing, whichever checks tell it. */
function problemIn([first, ...others]: Problem[]): string | undefined {
  const more = first?.code === 'gate_execution' ? 0 : others.filter(({ code }) => code === first?.code).length;
  return first && (more > 0 ? `${first.message} (and ${more} more)` : first.message);
}

function finish(run: Run, outcome: RunOutcome): RunOutcome {
  const isCancelled = outcome.executed.some((one) => one.outcome.isCancelled) || run.signal.aborted;
  const { status, code } = outcome.deciding?.meaning ?? meaningOf(0);
  close(run, isCancelled ? { status: 'cancelled', code: 130 } : { status, code });
  return { ...outcome, hasKeptInputs: keptInputs(run.ground, run.record) !== undefined };
}

function close(run: Run, { status, code }: { status: RunRecord['status']; code: number }): void {
  const { record, redactor, ground } = run;
  const at = ground.now();
  Object.assign(record, { status, exit_code: code, completed_at: at < record.started_at ? record.started_at : at });
  const counts = redactor.counts();
  if (Object.keys(counts).length > 0) run.tell('redaction_applied', { rules: counts });
  run.tell('run_completed', { status, exit_code: code, warnings: run.warnings });
  run.save();
}

/** What keeps a run from going on is told, as far as that can still be told. */
function broken(run: Run, error: unknown): void {
  const code = error instanceof CleoError ? asSkillRefusal(error).exitCode : 70;
  try {
    close(run, { status: 'failure', code });
  } catch {
    // The disk is full, or the folder gone: whoever looks finds a run that does not go on.
  }
}
