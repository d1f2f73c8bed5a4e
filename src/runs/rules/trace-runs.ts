import { is } from 'valibot';
import { RunRecord } from '../model/trace.ts';

/** A run.json, as far as it is one: what a later one has beside it is passed over, and what a damaged one lacks is filled in. */
export function readRecord(text: string | undefined): RunRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
  const given = value as Partial<RunRecord> | null;
  if (typeof given?.run_id !== 'string' || typeof given.status !== 'string') return undefined;
  const { entries } = RunRecord;
  const sound = (Object.keys(blank) as (keyof typeof blank)[]).filter((name) => is(entries[name], given[name]));
  return {
    ...{ ...blank, run_id: given.run_id, status: given.status, ...Object.fromEntries(sound.map((name) => [name, given[name]])) },
    executions: (Array.isArray(given.executions) ? given.executions : []).filter((one) => is(entries.executions.item, one)),
  } as RunRecord;
}

const blank = {
  ...{ schema_version: 1, kind: 'construct', construct: null, project: '', vars: {}, intent: null, task_id: null, session_id: null },
  ...{ agent: null, trace: '', head: null, lines: 0, pid: 0, began: '', boot: '', started_at: '', completed_at: null, exit_code: null },
  ...{ retention_days: 30 },
  // Nobody can go on with a run of which nobody knows what it was asked for.
  asked: undefined as RunRecord['asked'] | undefined,
};

/** What is known of a run from its record and its trace. */
export interface RunFacts {
  runId: string;
  /** The name of its trace. */
  trace?: string | undefined;
  record?: RunRecord | undefined;
  /** Whether the process that ran it still does. */
  isAlive: boolean;
  /** How its trace says it ended. */
  ended?: { status: string; exitCode: number | null; at: string } | undefined;
}

export interface RunView {
  id: string;
  status: RunRecord['status'] | 'crashed';
  kind: RunRecord['kind'];
  /** Of the construct, or the skill. */
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

/** How a run stands. One that neither ended nor goes on has crashed, whatever it said of itself last. */
export function runView({ runId, trace, record, isAlive, ended }: RunFacts): RunView {
  const isOver = record !== undefined && record.status !== 'running';
  const status = isOver ? record.status : ended ? (ended.status as RunRecord['status']) : isAlive ? 'running' : 'crashed';
  const startedAt = record?.started_at || dayOf(trace);
  const completedAt = record?.completed_at ?? ended?.at ?? null;
  const took = completedAt === null ? Number.NaN : Date.parse(completedAt) - Date.parse(startedAt);
  return {
    id: runId,
    status,
    kind: record?.kind ?? 'construct',
    name: record?.kind === 'skill' ? (record.executions[0]?.skill ?? record.construct?.name ?? '') : (record?.construct?.name ?? ''),
    project: record?.project ?? '',
    exitCode: record?.exit_code ?? ended?.exitCode ?? null,
    startedAt,
    completedAt,
    durationMs: Number.isNaN(took) ? null : Math.max(0, took),
    executions: record?.executions.length ?? 0,
    failed: record?.executions.filter((one) => one.status !== 'success').length ?? 0,
    lines: record?.lines ?? 0,
    trace: trace ?? null,
    taskId: record?.task_id ?? null,
    agent: record?.agent ?? null,
    resumable: status === 'crashed' && record !== undefined,
  };
}

const dayOf = (trace: string | undefined): string => (trace ? `${trace.slice(0, 10)}T00:00:00.000Z` : '');
