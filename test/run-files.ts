import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReviewEvent } from '../src/runs/model/judge.ts';
import type { RunRecord, TraceLine } from '../src/runs/model/trace.ts';
import { formatNextLine, genesis } from '../src/runs/rules/trace.ts';

export const startTime = '2026-01-01T00:00:00.000Z';
export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface RunSpec {
  id: string;
  /** `crashed`: its process no longer exists. `running`: it runs in this process. */
  status?: 'success' | 'failure' | 'crashed' | 'running';
  at?: string;
  agent?: string;
  retentionDays?: number | null;
  /** Time between two events. */
  stepMs?: number;
  /** Additional events at the end. */
  more?: [event: string, data: Record<string, unknown>, about?: Partial<TraceLine>][];
}

type TraceEvent = [event: string, data: Record<string, unknown>, about?: Partial<TraceLine>];

/** Creates the trace lines of a run of two phases as the runner writes them. The second phase is rejected if the run failed. */
export function createTraceLines({ id, status = 'success', at = startTime, stepMs = 1, more = [] }: RunSpec): string[] {
  const check = (name: string, passed: boolean, message: string) => ({
    ...{ name, passed, message, evidence: { path: 'prd.md', line: null, expected: null, actual: null } },
  });
  const gate = (gate_id: number, name: string, about: Partial<TraceLine>, ...checks: ReturnType<typeof check>[]): TraceEvent => [
    'gate_checked',
    {
      ...{ gate_id, name, status: checks.length === 0 ? 'skipped' : checks.every(({ passed }) => passed) ? 'passed' : 'failed' },
      ...{ passed: checks.every(({ passed }) => passed), severity: 'block', checks_performed: checks },
      ...{ failures_if_any: checks.filter(({ passed }) => !passed), remediation_attempted: false },
    },
    about,
  ];
  const first = { execution_id: `${id}:discovery:writer`, phase: 'discovery', skill: 'writer' };
  const second = { execution_id: `${id}:design:architect`, phase: 'design', skill: 'architect' };
  const isAccepted = status !== 'failure';
  const ended = { status: isAccepted ? 'success' : 'failure', exit_code: isAccepted ? 0 : 65 };
  const events: TraceEvent[] = [
    [
      'run_started',
      {
        schema_version: 1,
        manifest_sha256: hashText('manifest'),
        capture: { inputs: 'hashed', outputs: 'summary' },
        order: ['discovery', 'design'],
      },
    ],
    ['execution_progress', { kind: 'phase_entered' }, { phase: 'discovery' }],
    gate(0, 'selection', first),
    gate(1, 'precondition', first, check('context_files_exist', true, 'README.md is there')),
    ['skill_invoked', { skill_id: 'writer', version: '1.0.0', operator_type: 'ci' }, first],
    ['attempt_started', { argv: ['node'], timeout_ms: 1000 }, { ...first, attempt: 1 }],
    [
      'attempt_completed',
      { exit_code: 0, class: 'success', duration_ms: stepMs > 1 ? stepMs : 40, bytes: { stdout: 2, stderr: 0 } },
      { ...first, attempt: 1 },
    ],
    gate(2, 'execution', first, check('exit_class', true, 'success')),
    [
      'execution_complete',
      {
        ...{ status: 'success', exit_code: 0, class: 'success', duration_ms: 50 },
        ...{ outputs_summary: { artifacts: [{ path: 'prd.md', checksum: hashText('prd') }] }, errors: [], warnings: [], retries: [] },
      },
      first,
    ],
    ['execution_progress', { kind: 'phase_exited' }, { phase: 'discovery' }],
  ];
  if (status === 'success' || status === 'failure')
    events.push(
      ['execution_progress', { kind: 'phase_entered' }, { phase: 'design' }],
      [
        'handoff_attempted',
        {
          ...{ from_phase: 'discovery', to_phase: 'design', accepted: isAccepted, artifacts_provided: [], validation_result: {} },
          ...{ rejection_reason: isAccepted ? null : 'prd.md is too incomplete' },
        },
        { phase: 'design' },
      ],
      gate(1, 'precondition', second, check('prd_completeness', isAccepted, isAccepted ? 'complete' : 'prd.md has 0.4 of 0.8')),
      [
        'execution_complete',
        { ...ended, class: isAccepted ? 'success' : 'precondition', duration_ms: 20, errors: [], warnings: [], outputs_summary: {} },
        second,
      ],
      ['run_completed', { ...ended, warnings: [] }],
    );
  return chainLines(id, at, [...events, ...more], stepMs);
}

/** Formats events as lines, by default one millisecond apart. */
export function chainLines(id: string, at: string, events: TraceEvent[], stepMs = 1): string[] {
  let after = { head: genesis, lines: 0, ts: '' };
  return events.map(([event, data, about], i) => {
    const ts = new Date(Date.parse(at) + i * stepMs).toISOString();
    const line = formatNextLine(after, { ts, event, data, run_id: id, ...about });
    after = { head: hashText(line.text), lines: i + 1, ts: line.ts };
    return line.text;
  });
}

/** Writes a run into the `.cleo` folder of a project; returns the path of its trace. */
export function writeRun(folder: string, spec: RunSpec): string {
  const { id, status = 'success', at = startTime, agent = 'maker', retentionDays = 30 } = spec;
  const lines = createTraceLines(spec);
  const name = `${at.slice(0, 10)}-${id}.jsonl`;
  const isOver = status === 'success' || status === 'failure';
  const execution = (phase: string, skill: string, ended: string) => ({
    ...{ execution_id: `${id}:${phase}:${skill}`, phase, skill, status: ended, exit_code: ended === 'success' ? 0 : 65 },
    ...{ skill_sha256: '', inputs_sha256: '', outputs: [], attempts: 1, duration_ms: 50 },
  });
  const record: RunRecord = {
    ...{
      schema_version: 1,
      run_id: id,
      kind: 'construct',
      project: 'demo',
      vars: {},
      intent: null,
      task_id: null,
      session_id: null,
      agent,
      asked: { phases: ['discovery', 'design'], skill: null, outputs: [], capture: null, inputs_sha256: null, intent_sha256: null },
    },
    ...{
      construct: { file: 'construct.yaml', name: 'demo', version: '1.0.0', sha256: hashText('manifest') },
      retention_days: retentionDays,
    },
    ...{ trace: name, head: hashText(lines.at(-1)!), lines: lines.length, pid: process.pid, began: 'long ago', boot: 'another' },
    ...{ started_at: at, completed_at: isOver ? (JSON.parse(lines.at(-1)!) as TraceLine).ts : null },
    ...{ status: isOver ? status : 'running', exit_code: isOver ? (status === 'success' ? 0 : 65) : null },
    executions: [execution('discovery', 'writer', 'success'), ...(isOver ? [execution('design', 'architect', status)] : [])],
  };
  mkdirSync(join(folder, 'traces'), { recursive: true });
  const attempt = join(folder, 'runs', id, 'discovery', 'writer', '1');
  mkdirSync(attempt, { recursive: true });
  writeFileSync(join(attempt, 'stdout.log'), '{}');
  writeFileSync(join(folder, 'traces', name), `${lines.join('\n')}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'runs', id, 'run.json'), `${JSON.stringify(record)}\n`);
  return join(folder, 'traces', name);
}

export function writeReviews(folder: string, events: ReviewEvent[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'reviews.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''), { flag: 'a' });
}

export const createReviewRequest = (id: string, runId: string, more: Partial<ReviewEvent> = {}): ReviewEvent => ({
  ...{ event: 'review_requested', review_id: id, at: startTime, by: 'runner', run_id: runId, execution_id: `${runId}:discovery:writer` },
  ...{ phase: 'discovery', skill: 'writer', kind: 'goal', goal: 'A PRD', reason: 'a person is to judge it', reviewers_required: 1 },
  judge_score: 0.4,
  ...more,
});

/** `trace run-a failure by ada` is a run of two phases, `review rv-1 of run-a` a pending review. */
export function writeRuns(folder: string, lines: string[]): void {
  for (const line of lines) {
    const [kind, id = '', ...words] = line.split(/\s+/);
    const after = (word: string): string | undefined => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
    const status = (['success', 'failure', 'crashed', 'running'] as const).find((one) => words.includes(one));
    const agent = after('by');
    if (kind === 'review') writeReviews(folder, [createReviewRequest(id, after('of') ?? 'run-a')]);
    else writeRun(folder, { id, ...(status ? { status } : {}), ...(agent ? { agent } : {}) });
  }
}
