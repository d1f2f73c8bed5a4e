import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../src/lib/digest.ts';
import type { ReviewEvent } from '../src/runs/model/judge.ts';
import type { TraceLine } from '../src/runs/model/trace.ts';
import { formatNextLine, genesis } from '../src/runs/rules/trace.ts';

/** An execution in a trace. Missing fields mean success. */
export interface TracedExecution {
  phase?: string;
  skill?: string;
  version?: string;
  status?: string;
  exitCode?: number;
  class?: string;
  durationMs?: number;
  timeoutMs?: number;
  attempts?: number;
  /** Names of checks by gate. A leading `!` marks a failed check. */
  checks?: Record<number, string[]>;
  forced?: number[];
  required?: { path: string; completeness: number }[] | null;
  warnings?: { code: string; message: string; path?: string }[];
  judge?: number[];
  usage?: Record<string, number>;
  confidence?: number;
  inputs?: Record<string, unknown>;
  isInvoked?: boolean;
  /** Handoffs before it: the phase they come from, and the remediation if they were rejected. */
  handoffs?: { from: string; accepted: boolean; remediation?: string }[];
}

const classes: Record<number, [status: string, name: string]> = {
  0: ['success', 'success'],
  1: ['failure', 'soft'],
  4: ['partial', 'partial'],
  66: ['failure', 'precondition'],
  80: ['blocked', 'blocked'],
  81: ['timeout', 'timeout'],
  84: ['failure', 'validation'],
};

/** Formats the trace of a run as the runner writes it. */
export function formatTrace(runId: string, day: string, executions: TracedExecution[], isOver = true): string {
  const lines: string[] = [];
  let after = { head: genesis, lines: 0, ts: '' };
  const append = (event: string, data: Record<string, unknown>, about: Partial<TraceLine> = {}): void => {
    const ts = `${day}T10:00:${String(Math.min(59, lines.length)).padStart(2, '0')}.000Z`;
    const { text, ts: at } = formatNextLine(after, { ts, event, data, run_id: runId, ...about });
    after = { head: sha256(text), lines: after.lines + 1, ts: at };
    lines.push(text);
  };
  append('run_started', { schema_version: 1, manifest_sha256: 'x', capture: { inputs: 'hashed', outputs: 'summary' }, phases: [] });
  for (const execution of executions) appendExecution(runId, execution, append);
  if (isOver) append('run_completed', { status: 'success', exit_code: 0, warnings: [] });
  return `${lines.join('\n')}\n`;
}

function appendExecution(
  runId: string,
  execution: TracedExecution,
  append: (event: string, data: Record<string, unknown>, about?: Partial<TraceLine>) => void,
): void {
  const { phase = 'discovery', skill = 'write', exitCode = 0, attempts = 1, checks = { 2: ['exit_code', 'timeout'] } } = execution;
  const [status, exitClass] = classes[exitCode] ?? ['failure', 'unknown'];
  const about = { execution_id: `${runId}:${phase}:${skill}`, phase, skill };
  for (const { from, accepted, remediation } of execution.handoffs ?? []) {
    const rejection_reason = accepted ? null : `${from} is not enough`;
    append(
      'handoff_attempted',
      { from_phase: from, to_phase: phase, accepted, rejection_reason, remediation: remediation ?? null },
      { phase },
    );
  }
  const gate = (id: number): void => {
    const made = (checks[id] ?? []).map((name) => {
      const bare = name.replace(/^!/, '');
      return { name: bare, passed: bare === name, message: `${bare} ${bare === name ? 'holds' : 'does not hold'}`, evidence: {} };
    });
    const overridden = execution.forced?.includes(id) ? { overridden: true, reason: 'accepted' } : {};
    append('gate_checked', { gate_id: id, name: String(id), status: 'passed', passed: true, checks_performed: made, ...overridden }, about);
  };
  gate(0);
  gate(1);
  if (execution.isInvoked ?? attempts > 0)
    append(
      'skill_invoked',
      { skill_id: skill, version: execution.version ?? '1.0.0', input_summary: execution.inputs ?? { fields: 0 } },
      about,
    );
  for (let attempt = 1; attempt <= attempts; attempt++) {
    append('attempt_started', { argv: ['x'], timeout_ms: execution.timeoutMs ?? 10_000 }, { ...about, attempt });
    append('attempt_completed', { exit_code: exitCode, class: exitClass, duration_ms: execution.durationMs ?? 100 }, { ...about, attempt });
  }
  for (const id of [2, 3]) if (checks[id]) gate(id);
  for (const [vote, score] of (execution.judge ?? []).entries())
    append('judge_called', { vote, cached: false, verdict: 'pass', score }, about);
  append(
    'execution_complete',
    {
      ...{
        status: execution.status ?? status,
        exit_code: exitCode,
        class: execution.class ?? exitClass,
        duration_ms: execution.durationMs ?? 100,
      },
      outputs_summary: { artifacts: [], ...(execution.required === null ? {} : { required: execution.required ?? [] }) },
      retries: Array.from({ length: Math.max(0, attempts - 1) }, (_, i) => ({ attempt: i + 1 })),
      ...{ errors: [], warnings: execution.warnings ?? [], usage: execution.usage ?? null, confidence: execution.confidence ?? null },
    },
    about,
  );
}

export function writeTrace(root: string, runId: string, day: string, text: string): void {
  mkdirSync(join(root, '.cleo', 'traces'), { recursive: true });
  writeFileSync(join(root, '.cleo', 'traces', `${day}-${runId}.jsonl`), text);
}

/** Writes the verdict of a person on an execution. */
export function writeVerdict(root: string, executionId: string, verdict: 'pass' | 'fail', score: number, by = 'ada'): void {
  const at = '2026-02-01T00:00:00.000Z';
  const events: ReviewEvent[] = [
    { event: 'review_requested', review_id: `rv-${executionId}`, at, by: 'runner', execution_id: executionId, kind: 'goal' },
    { event: 'review_resolved', review_id: `rv-${executionId}`, at, by, verdict, score },
  ];
  appendFileSync(join(root, '.cleo', 'reviews.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

/** `run run-1 2026-01-31 discovery/write design/draw:84` is a run of two executions, the second with exit code 84; `judged 40`
 *  are 40 runs with verdicts of people that follow the judge's scores. */
export function writeTraces(root: string, lines: string[]): void {
  for (const line of lines) {
    const [kind, id = '', day = '', ...executions] = line.split(' ');
    if (kind === 'judged') writeJudgedRuns(root, Number(id));
    else writeTrace(root, id, day, formatTrace(id, day, executions.map(parseExecution)));
  }
}

function parseExecution(word: string): TracedExecution {
  const [, phase = '', skill = '', code = '0'] = /^([^/]+)\/([^:]+)(?::(\d+))?$/.exec(word) ?? [];
  return { phase, skill, exitCode: Number(code) };
}

export function writeJudgedRuns(root: string, count: number, isPass = (i: number): boolean => i % 3 > 0): void {
  for (let i = 0; i < count; i++) {
    const runId = `run-${String(i).padStart(4, '0')}`;
    const judge = [isPass(i) ? 0.75 + (i % 5) / 20 : 0.2 + (i % 5) / 20];
    writeTrace(root, runId, '2026-01-15', formatTrace(runId, '2026-01-15', [{ judge, confidence: 0.5 + (i % 4) / 10 }]));
    writeVerdict(root, `${runId}:discovery:write`, isPass(i) ? 'pass' : 'fail', isPass(i) ? 0.9 : 0.1);
  }
}
