import type { Phase, SkillSpec } from '../model/construct.ts';
import type { PhaseHandoff } from '../model/execution.ts';
import type { Redactor } from '../model/redactor.ts';
import type { RunRecord } from '../model/trace.ts';
import type { Ground } from '../platform/ground-port.ts';
import { type ExitMeaning, meaningOf } from '../rules/exit-class.ts';
import type { Judged } from '../rules/gate/gate.ts';
import { isSecretVariable, type RedactorOptions, redactorOf } from '../rules/redactor.ts';
import { secretNames } from './attempt.ts';
import { type Executed, execute } from './execution.ts';
import { lookoutOf } from './found.ts';
import { handoffCheck, handoffOf } from './preconditions.ts';
import type { Run, RunRequest } from './run-state.ts';
import type { AllSchemas } from './schemas.ts';

export interface RunOutcome {
  record: RunRecord;
  /** For whatever is shown of it. */
  redactor: Redactor;
  executed: { phase: string; skill: string; outcome: Executed }[];
  handoffs: PhaseHandoff[];
  /** Of what decided how it ended, where that was not success. */
  deciding?: { phase: string; skill: string | null; problem: string };
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
  const lock = await ground.lock(lockName(ground, request), request.waitMs);
  try {
    const run = begin(ground, request, surroundings);
    if (lock.warning) run.warnings.push({ code: 'stale_lock', message: lock.warning });
    try {
      return await phases(run);
    } finally {
      run.trace.close();
    }
  } finally {
    lock.release();
  }
}

const lockName = (ground: Ground, { construct, project }: RunRequest): string =>
  `lock-${ground.hash(`${construct.file}\n${construct.name}\n${project}`).slice(0, 16)}`;

function begin(ground: Ground, request: RunRequest, { signal, patterns, schemas, observe }: Surroundings): Run {
  const { construct, resume } = request;
  const names = [
    ...new Set([...secretNames({ request }, undefined), ...construct.skills.flatMap(({ env, credentials }) => [...env, ...credentials])]),
  ];
  const credentials = new Set([...construct.credentials, ...construct.skills.flatMap((skill) => skill.credentials)]);
  const secrets = names.filter((name) => isSecretVariable(name) || credentials.has(name)).flatMap((name) => ground.variables[name] ?? []);
  const redactor = redactorOf({ secrets, patterns, allow: construct.redaction.allow, mac: ground.mac });
  const at = ground.now();
  const runId = resume?.run_id ?? ground.newId();
  const startedAt = resume?.started_at ?? at;
  const trace = construct.capture.enabled ? ground.trace(runId, startedAt, redactor) : silent;
  const record: RunRecord = {
    ...{ schema_version: 1, run_id: runId, kind: request.kind, project: request.project, vars: request.vars },
    construct: { file: construct.file, name: construct.name, version: construct.version, sha256: construct.sha256 },
    ...{ intent: redactor.text(request.intent ?? '') || null, task_id: request.taskId ?? null, session_id: request.sessionId ?? null },
    ...{ agent: request.agent ?? null, retention_days: construct.capture.retentionDays },
    ...{ trace: construct.capture.enabled ? `${startedAt.slice(0, 10)}-${runId}.jsonl` : '', head: null, lines: 0 },
    ...{ ...ground.process(), started_at: startedAt, completed_at: null, status: 'running', exit_code: null, executions: [] },
  };
  const run: Run = {
    ...{ ground, request, record, redactor, trace, schemas, signal, primaries: {}, left: new Map(), warnings: [] },
    lookout: lookoutOf(ground, schemas),
    tell(event, data, about) {
      trace.write(event, data, about);
      observe(event, redactor.value(data) as Record<string, unknown>, about);
    },
    save() {
      Object.assign(record, { head: trace.head(), lines: trace.lines() });
      ground.runs.write(runId, 'run.json', `${JSON.stringify(record)}\n`);
    },
  };
  // The folder first: what cannot be kept is not begun.
  run.save();
  if (resume) run.tell('run_resumed', { from_lines: resume.lines });
  else
    run.tell('run_started', {
      schema_version: 1,
      manifest_sha256: construct.sha256,
      capture: { inputs: construct.capture.inputs, outputs: construct.capture.outputs },
      phases: request.phases,
    });
  return run;
}

/** For those who want nothing kept but how it ended. */
const silent = { write: () => {}, head: () => 'genesis', lines: () => 0, close: () => {} };

async function phases(run: Run): Promise<RunOutcome> {
  const { request } = run;
  const outcome: RunOutcome = { record: run.record, redactor: run.redactor, executed: [], handoffs: [] };
  let decided = meaningOf(0);
  for (const phase of request.construct.phases.filter(({ name }) => request.phases.includes(name))) {
    run.tell('execution_progress', { kind: 'phase_entered' }, { phase: phase.name });
    const before = outcome.executed.length;
    await onePhase(run, phase, outcome);
    run.tell('execution_progress', { kind: 'phase_exited' }, { phase: phase.name });
    const failed = outcome.executed.slice(before).find(({ outcome: { meaning } }) => meaning.class !== 'success');
    if (!failed) continue;
    decided = failed.outcome.meaning;
    const [error] = failed.outcome.result.diagnostics.errors;
    outcome.deciding = {
      phase: failed.phase,
      skill: failed.skill,
      problem: error?.message ?? `${failed.skill} ended with ${decided.code} (${decided.name})`,
    };
    break;
  }
  return finish(run, outcome, decided);
}

function finish(run: Run, outcome: RunOutcome, { status, code }: ExitMeaning): RunOutcome {
  const { record, redactor, ground } = run;
  const isCancelled = outcome.executed.some((one) => one.outcome.isCancelled) || run.signal.aborted;
  Object.assign(record, {
    status: isCancelled ? 'cancelled' : status,
    exit_code: isCancelled ? 130 : code,
    completed_at: ground.now(),
  });
  const counts = redactor.counts();
  if (Object.keys(counts).length > 0) run.tell('redaction_applied', { rules: counts });
  run.tell('run_completed', { status: record.status, exit_code: record.exit_code, warnings: run.warnings });
  run.save();
  return outcome;
}

async function onePhase(run: Run, phase: Phase, outcome: RunOutcome): Promise<void> {
  const { construct, phases: wanted } = run.request;
  const incoming = construct.handoffs.filter(
    ({ to, from }) => to === phase.name && (wanted.includes(from) || run.left.size > 0 || wanted[0] === phase.name),
  );
  const handoffs = incoming.map((spec) => handoffOf(run, spec));
  for (const handoff of handoffs) attempted(run, handoff, outcome);
  const onward = (): Judged[] =>
    construct.handoffs.filter(({ from }) => from === phase.name).map((spec) => handoffCheck(handoffOf(run, spec)));
  const skills = skillsOf(run, phase);
  const one = async (skill: SkillSpec): Promise<void> => {
    const done = await execute(run, phase, skill, handoffs, onward);
    outcome.executed.push({ phase: phase.name, skill: skill.name, outcome: done });
  };
  if (construct.type === 'sequential') {
    for (const skill of skills) {
      await one(skill);
      if (outcome.executed.at(-1)!.outcome.meaning.class !== 'success') return;
    }
    return;
  }
  const most = construct.maxConcurrency ?? Math.min(4, run.ground.cpus);
  const waiting = [...skills];
  const worker = async (): Promise<void> => {
    for (let skill = waiting.shift(); skill && !run.signal.aborted; skill = waiting.shift()) await one(skill);
  };
  await Promise.all(Array.from({ length: Math.min(most, skills.length) }, worker));
}

/** A phase without a skill has its gates all the same. */
function skillsOf(run: Run, phase: Phase): SkillSpec[] {
  const known = phase.skills.map(
    (name) =>
      run.request.construct.skills.find((one) => one.name === name) ?? { name, required: true, shell: false, env: [], credentials: [] },
  );
  if (known.length > 0) return known;
  run.warnings.push({ code: 'phase_without_skill', message: `${phase.name} has no skill: only its gates are checked` });
  return [{ name: '-', required: true, shell: false, env: [], credentials: [], run: [] }];
}

function attempted(run: Run, handoff: PhaseHandoff, outcome: RunOutcome): void {
  const { ground, record, redactor } = run;
  outcome.handoffs.push(handoff);
  ground.runs.write(
    record.run_id,
    `handoffs/${handoff.from_phase}__${handoff.to_phase}.json`,
    `${JSON.stringify(redactor.value(handoff))}\n`,
  );
  run.tell(
    'handoff_attempted',
    {
      ...{
        from_phase: handoff.from_phase,
        to_phase: handoff.to_phase,
        accepted: handoff.accepted,
        rejection_reason: handoff.rejection_reason,
      },
      artifacts_provided: handoff.artifacts.provided.map(({ path, checksum, completeness }) => ({ path, checksum, completeness })),
      validation_result: handoff.validation,
    },
    { phase: handoff.to_phase },
  );
}
