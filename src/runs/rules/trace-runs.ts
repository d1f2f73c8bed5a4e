import { is } from 'valibot';
import { parseJson } from '#lib/parse-json.ts';
import { type RunRecord, RunRecordSchema } from '../model/trace.ts';

/** Parses a run.json leniently: unknown fields are dropped, and invalid or absent ones get defaults. */
export function parseRunRecord(text: string | undefined): RunRecord | undefined {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const fields = value as Partial<RunRecord> | null;
  if (typeof fields?.run_id !== 'string' || typeof fields.status !== 'string') return undefined;
  const { entries } = RunRecordSchema;
  const validKeys = (Object.keys(emptyRecord) as (keyof typeof emptyRecord)[]).filter((name) => is(entries[name], fields[name]));
  return {
    ...emptyRecord,
    run_id: fields.run_id,
    status: fields.status,
    ...Object.fromEntries(validKeys.map((name) => [name, fields[name]])),
    executions: (Array.isArray(fields.executions) ? fields.executions : []).filter((one) => is(entries.executions.item, one)),
  } as RunRecord;
}

const emptyRecord = {
  schema_version: 1,
  kind: 'construct',
  construct: null,
  project: '',
  vars: {},
  intent: null,
  task_id: null,
  session_id: null,
  agent: null,
  trace: '',
  head: null,
  lines: 0,
  pid: 0,
  began: '',
  boot: '',
  started_at: '',
  completed_at: null,
  exit_code: null,
  retention_days: 30,
  // No default: a run whose parameters are unknown cannot be resumed.
  asked: undefined as RunRecord['asked'] | undefined,
};

/** The facts about a run from its record and its trace. */
interface RunFacts {
  runId: string;
  /** The name of its trace. */
  trace?: string | undefined;
  record?: RunRecord | undefined;
  /** True if the process of the run still exists. */
  isAlive: boolean;
  /** The outcome according to its trace. */
  ended?: { status: string; exitCode: number | null; at: string } | undefined;
}

export interface RunView {
  id: string;
  status: RunRecord['status'] | 'crashed';
  kind: RunRecord['kind'];
  /** The name of the construct or skill. */
  name: string;
  project: string;
  exitCode: number | null;
  startedAt: string;
  completedAt: string | null;
  durationMs: number | null;
  executions: number;
  failed: number;
  lines: number;
  trace: string | null;
  taskId: string | null;
  agent: string | null;
  resumable: boolean;
}

/** Summarizes a run. A run that neither ended nor has a live process has crashed. */
export function summarizeRun({ runId, trace, record, isAlive, ended }: RunFacts): RunView {
  const isOver = record !== undefined && record.status !== 'running';
  const status = isOver ? record.status : ended ? (ended.status as RunRecord['status']) : isAlive ? 'running' : 'crashed';
  const startedAt = record?.started_at || getTraceDay(trace);
  const completedAt = record?.completed_at ?? ended?.at ?? null;
  const durationMs = completedAt === null ? Number.NaN : Date.parse(completedAt) - Date.parse(startedAt);
  return {
    id: runId,
    status,
    kind: record?.kind ?? 'construct',
    name: record?.kind === 'skill' ? (record.executions[0]?.skill ?? record.construct?.name ?? '') : (record?.construct?.name ?? ''),
    project: record?.project ?? '',
    exitCode: record?.exit_code ?? ended?.exitCode ?? null,
    startedAt,
    completedAt,
    durationMs: Number.isNaN(durationMs) ? null : Math.max(0, durationMs),
    executions: record?.executions.length ?? 0,
    failed: record?.executions.filter((one) => one.status !== 'success').length ?? 0,
    lines: record?.lines ?? 0,
    trace: trace ?? null,
    taskId: record?.task_id ?? null,
    agent: record?.agent ?? null,
    // The next `cleo work` continues a task by itself.
    resumable: status === 'crashed' && record !== undefined && record.kind !== 'work',
  };
}

const getTraceDay = (trace: string | undefined): string => (trace ? `${trace.slice(0, 10)}T00:00:00.000Z` : '');
