import { toCanonicalJson } from '#lib/digest.ts';
import { createRedactor, listSecretValues, type Redactor, type RedactorOptions } from '#lib/redactor.ts';
import type { RunnerPlatform, TraceSubject, TraceWriter } from '#platform/runner/port.ts';
import type { Construct, SkillSpec } from '../model/construct.ts';
import type { RunGateName, Warning } from '../model/execution.ts';
import type { RunRecord, TraceEvent } from '../model/trace.ts';
import { type ArtifactFinder, createArtifactFinder, type Schemas } from './artifacts.ts';

/** The validated parameters of a run. */
export interface RunRequest {
  construct: Construct;
  kind: RunRecord['kind'];
  project: string;
  vars: Record<string, string>;
  intent?: string;
  taskId?: string;
  sessionId?: string;
  /** The agent that started the run. */
  agent?: string;
  inputs: Record<string, unknown>;
  /** Parameters that the record stores for a later resume. */
  asked: Pick<RunRecord['asked'], 'skill' | 'outputs' | 'capture'>;
  /** Names of the phases to run, in order. */
  phases: string[];
  /** Record of the run to resume. */
  resume?: RunRecord;
  /** Executions of earlier runs that may be reused if nothing they depend on has changed. */
  reusable: RunRecord['executions'];
  /** Names of the parameters that have their default value. */
  defaults: string[];
  force?: { gate: RunGateName; reason: string };
  /** Reason to resume although the manifest has changed. */
  changedManifest?: string;
  timeoutMs?: number;
  waitMs: number;
  /** The same command with a longer --wait. */
  waitCommand: string;
  /** The user named the skill, so the selection gate does not compare it with others. */
  isNamed: boolean;
  usesJudgeCache: boolean;
}

/** Services and settings that the caller of a run provides. */
export interface RunSetup {
  signal: AbortSignal;
  patterns: RedactorOptions['patterns'];
  schemas: Schemas;
  /** Receives every event when it is written. */
  observe(event: TraceEvent, data: Record<string, unknown>, subject?: TraceSubject): void;
}

/** One run: its request and services, and its state that all executions share. */
export interface RunContext {
  platform: RunnerPlatform;
  request: RunRequest;
  record: RunRecord;
  redactor: Redactor;
  trace: TraceWriter;
  schemas: Schemas;
  artifacts: ArtifactFinder;
  signal: AbortSignal;
  /** Primary outputs of finished skills, by skill name. */
  primaries: Record<string, unknown>;
  /** Readers of the stored stdout of finished skills, by skill name. A resumed run reads the same text. */
  printed: Map<string, () => string | undefined>;
  /** `phase`: the phase of the first execution that a resumed run could not reuse. */
  rerun: { phase?: string };
  /** Hashes of artifacts, taken when the phase that wrote them ended. */
  artifactHashes: Map<string, string>;
  warnings: Warning[];
  emit(event: TraceEvent, data: Record<string, unknown>, subject?: TraceSubject): void;
  save(): void;
  /** Stores the record in the next turn of the event loop, while a skill runs, unless it is stored before. The trace has the same facts. */
  saveSoon(): void;
}

/** File in the folder of a run that holds its inputs, if capture is `full`. */
export const inputsFile = 'inputs.json';

/** Opens a new or resumed run: creates its folder and trace and writes the first event. */
export function openRun(platform: RunnerPlatform, runId: string, request: RunRequest, setup: RunSetup): RunContext {
  const { construct, resume } = request;
  const { capture } = construct;
  const run = createRunContext(platform, runId, request, setup);
  // The record first: a run that cannot be stored must not start.
  run.save();
  if (capture.enabled && capture.inputs === 'full' && hasInputs(request))
    platform.runs.write(runId, inputsFile, `${JSON.stringify(run.redactor.value(request.inputs))}\n`, 'soon');
  const order = construct.phases.map(({ name }) => name);
  if (resume)
    run.emit('run_resumed', {
      from_lines: resume.lines,
      manifest_sha256: construct.sha256,
      order,
      ...(request.changedManifest === undefined ? {} : { overridden: true, reason: request.changedManifest }),
    });
  else
    run.emit('run_started', {
      schema_version: 1,
      manifest_sha256: construct.sha256,
      capture: { inputs: capture.inputs, outputs: capture.outputs },
      phases: request.phases,
      order,
    });
  return run;
}

/** Creates the context of a run. It writes nothing if capture is disabled, so a preview can use it too. */
export function createRunContext(platform: RunnerPlatform, runId: string, request: RunRequest, setup: RunSetup): RunContext {
  const { signal, patterns, schemas, observe } = setup;
  const { enabled } = request.construct.capture;
  const redactor = createRunRedactor(platform, request, patterns);
  const startedAt = request.resume?.started_at ?? platform.now();
  const trace = enabled ? platform.openTrace(runId, startedAt, redactor) : createNullTrace(redactor);
  const record = createRecord(platform, runId, request, startedAt, redactor);
  let isSaveDue = false;
  let saveError: unknown;
  const save = (): void => {
    isSaveDue = false;
    if (saveError) throw saveError;
    // The trace is flushed first, so that the record never lists an execution that the trace lacks.
    trace.sync();
    Object.assign(record, { head: trace.head(), lines: trace.lines() });
    // While the run is active the trace holds the same facts, so the record need not be flushed.
    const durability = record.completed_at === null ? 'soon' : 'durable';
    platform.runs.write(runId, 'run.json', `${JSON.stringify(redactor.value(record))}\n`, durability);
  };
  return {
    platform,
    request,
    record,
    redactor,
    trace,
    schemas,
    artifacts: createArtifactFinder(platform, schemas),
    signal,
    primaries: {},
    printed: new Map(),
    rerun: {},
    artifactHashes: new Map(),
    warnings: trace.tornFile
      ? [{ code: 'torn_trace', message: `the last line of the trace was incomplete; it was moved to ${trace.tornFile}` }]
      : [],
    emit(event, data, subject) {
      observe(event, trace.write(event, data, subject), subject);
    },
    save,
    saveSoon() {
      if (isSaveDue) return;
      isSaveDue = true;
      setImmediate(() => {
        if (!isSaveDue) return;
        try {
          save();
        } catch (error) {
          // The next save throws it: an error here would end the process.
          saveError = error;
        }
      });
    },
  };
}

function createRecord(platform: RunnerPlatform, runId: string, request: RunRequest, startedAt: string, redactor: Redactor): RunRecord {
  const { construct, intent } = request;
  const { enabled, retentionDays } = construct.capture;
  const getFingerprint = (value: unknown): string => (enabled ? fingerprint(platform, value) : '');
  return {
    schema_version: 1,
    run_id: runId,
    kind: request.kind,
    project: request.project,
    vars: request.vars,
    construct: { file: construct.file, name: construct.name, version: construct.version, sha256: construct.sha256 },
    intent: enabled ? redactor.text(intent ?? '') || null : null,
    asked: {
      ...request.asked,
      phases: request.phases,
      inputs_sha256: hasInputs(request) ? getFingerprint(request.inputs) : null,
      intent_sha256: intent ? getFingerprint(intent) : null,
    },
    task_id: request.taskId ?? null,
    session_id: request.sessionId ?? null,
    agent: request.agent ?? null,
    retention_days: retentionDays,
    trace: enabled ? `${startedAt.slice(0, 10)}-${runId}.jsonl` : '',
    head: null,
    lines: 0,
    ...platform.identifyProcess(),
    started_at: startedAt,
    completed_at: null,
    status: 'running',
    exit_code: null,
    // A resumed run keeps its finished executions, even if it is killed before it has checked them.
    executions: request.resume?.executions ?? [],
  };
}

const hasInputs = ({ inputs }: RunRequest): boolean => Object.keys(inputs).length > 0;

/** Keyed hash of a value. It shows whether a value is the same as in the earlier run without storing it. */
export const fingerprint = (platform: RunnerPlatform, value: unknown): string => platform.hmac(toCanonicalJson(value));

function createRunRedactor(platform: RunnerPlatform, { construct }: RunRequest, patterns: RedactorOptions['patterns']): Redactor {
  const { skills } = construct;
  const secrets = listSecretValues(
    platform.env,
    {
      variables: [...construct.env, ...skills.flatMap((skill) => skill.env)],
      credentials: [...construct.credentials, ...skills.flatMap((skill) => skill.credentials)],
    },
    platform.isPlainVariable,
  );
  return createRedactor({ secrets, patterns, allow: construct.redaction.allow, mac: platform.hmac });
}

/** Names of the environment variables that a skill receives. */
export const listVariables = (request: RunRequest, skill: SkillSpec): string[] => [
  ...listConstructVariables(request),
  ...skill.env,
  ...skill.credentials,
];

/** Names of the environment variables that the skills, checks and the judge of a construct receive. */
export const listConstructVariables = ({ construct }: Pick<RunRequest, 'construct'>): string[] => [
  ...construct.env,
  ...construct.credentials,
];

/** A trace that stores nothing, for runs with capture disabled. */
const createNullTrace = (redactor: Redactor): TraceWriter => ({
  write: (_, data) => redactor.value(data) as Record<string, unknown>,
  head: () => 'genesis',
  lines: () => 0,
  sync: () => {},
  close: () => {},
});
