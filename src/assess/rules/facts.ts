import { canonical } from '#lib/canonical.ts';
import { gateNames } from '#runs/model/execution.ts';
import type { TraceLine } from '#runs/model/trace.ts';
import { remedied } from '#runs/rules/gate/remedy.ts';
import type { ExecutionFacts } from '../model/assessment.ts';

/** What happened to a handoff. */
export interface HandoffFacts {
  from: string;
  to: string;
  accepted: boolean;
  reason: string;
  /** What was lacking: files, and sections of files. */
  lacks: string[];
}

export interface TraceFacts {
  executions: ExecutionFacts[];
  handoffs: HandoffFacts[];
  /** The run says that it ended. */
  isOver: boolean;
}

interface Draft {
  version: string;
  isInvoked: boolean;
  attempts: number;
  timeoutMs: number | null;
  longestAttemptMs: number;
  inputs: string | null;
  gates: Map<number, { checks: ExecutionFacts['checks']; isForced: boolean }>;
  /** By vote; null where the judge failed. */
  votes: Map<number, number | null>;
}

/** The executions of one trace, in the order in which they ended. Of one that was run again after a crash only the last time counts;
 *  one that waited for a person ends a second time, as the same.
 *  Everything is read with doubt: whoever wrote the trace may have been another version, or another program. */
export function factsOf(lines: TraceLine[]): TraceFacts {
  const drafts = new Map<string, Draft>();
  const done = new Map<string, ExecutionFacts>();
  const handoffs: HandoffFacts[] = [];
  const waiting: HandoffFacts[] = [];
  let isOver = false;
  for (const line of lines) {
    if (line.event === 'handoff_attempted') {
      const handoff = handoffOf(line);
      handoffs.push(handoff);
      if (!handoff.accepted) blame(handoff, done, waiting);
    }
    isOver = line.event === 'run_completed' || (isOver && line.event !== 'run_resumed');
    const id = line.execution_id;
    if (id === undefined) continue;
    // Gate 0 is the first that is told of an execution.
    const isFresh = line.event === 'gate_checked' && line.data?.gate_id === 0;
    const draft = (isFresh ? undefined : drafts.get(id)) ?? begun();
    drafts.set(id, draft);
    note(draft, line);
    if (line.event !== 'execution_complete') continue;
    const facts = concluded(draft, line, id);
    done.delete(id);
    done.set(id, facts);
    // Whose sender had no part in this run is charged to whom it was handed.
    for (const handoff of waiting.filter(({ to }) => to === facts.phase)) {
      facts.rejections.push(rejection(handoff));
      waiting.splice(waiting.indexOf(handoff), 1);
    }
  }
  return { executions: [...done.values()], handoffs, isOver };
}

/** What was not good enough is the matter of whoever handed it on: the last execution of that phase. */
function blame(handoff: HandoffFacts, done: Map<string, ExecutionFacts>, waiting: HandoffFacts[]): void {
  const sender = [...done.values()].findLast(({ phase }) => phase === handoff.from);
  if (!sender) waiting.push(handoff);
  else if (!sender.rejections.some(({ to }) => to === handoff.to)) sender.rejections.push(rejection(handoff));
}

const rejection = ({ from, to, reason }: HandoffFacts) => ({ from, to, reason });

const begun = (): Draft => ({
  ...{ version: '0.0.0', isInvoked: false, attempts: 0, timeoutMs: null, longestAttemptMs: 0, inputs: null },
  ...{ gates: new Map(), votes: new Map() },
});

function note(draft: Draft, { event, data = {} }: TraceLine): void {
  if (event === 'gate_checked') {
    const gate = numberOf(data.gate_id) ?? -1;
    draft.gates.set(gate, { checks: checksOf(gate, data.checks_performed), isForced: data.overridden === true });
  } else if (event === 'skill_invoked') {
    draft.isInvoked = true;
    draft.version = textOf(data.version) ?? '0.0.0';
    draft.inputs = isInformative(data.input_summary) ? canonical(data.input_summary) : null;
  } else if (event === 'attempt_started') {
    draft.attempts += 1;
    draft.timeoutMs = numberOf(data.timeout_ms) || null;
  } else if (event === 'attempt_completed') draft.longestAttemptMs = Math.max(draft.longestAttemptMs, numberOf(data.duration_ms) ?? 0);
  else if (event === 'judge_called') {
    const score = numberOf(data.score);
    draft.votes.set(numberOf(data.vote) ?? 0, score !== undefined && score >= 0 && score <= 1 ? score : null);
  }
}

/** Where only the number of the inputs was kept, nothing tells which they were. */
const isInformative = (summary: unknown): boolean => isMap(summary) && typeof summary.fields !== 'number';

function concluded(draft: Draft, { ts, run_id, phase, skill, data = {} }: TraceLine, executionId: string): ExecutionFacts {
  const { gates, votes, ...told } = draft;
  const judge = [...votes.values()];
  const summary = isMap(data.outputs_summary) ? data.outputs_summary : {};
  return {
    ...{ runId: run_id, executionId, phase: phase ?? '', skill: skill ?? '' },
    status: statuses.find((known) => known === data.status) ?? 'failure',
    exitCode: numberOf(data.exit_code) ?? 0,
    exitClass: textOf(data.class) ?? 'unknown',
    endedAt: ts,
    durationMs: numberOf(data.duration_ms) ?? 0,
    ...told,
    // A judge that failed in between has said nothing, whatever its first votes were.
    judge: judge.flatMap((score) => (judge.includes(null) ? [] : (score ?? []))),
    retries: listOf(data.retries).length,
    checks: [...gates.values()].flatMap(({ checks }) => checks),
    forced: [...gates].filter(([, { isForced }]) => isForced).map(([gate]) => gateNames[gate] ?? String(gate)),
    outputs: Array.isArray(summary.required) ? summary.required.flatMap(outputOf) : null,
    tokens: tokensOf(data.usage),
    confidence: numberOf(data.confidence) ?? null,
    warnings: listOf(data.warnings).flatMap(warningOf),
    rejections: [],
  };
}

const statuses = ['success', 'failure', 'partial', 'blocked', 'timeout'] as const;

function handoffOf({ data = {} }: TraceLine): HandoffFacts {
  return {
    from: textOf(data.from_phase) ?? '',
    to: textOf(data.to_phase) ?? '',
    accepted: data.accepted === true,
    reason: textOf(data.rejection_reason) ?? '',
    lacks: remedied(textOf(data.remediation) ?? '').map(({ path, section }) => (section === undefined ? path : `${section} of ${path}`)),
  };
}

const checksOf = (gate: number, value: unknown): ExecutionFacts['checks'] =>
  listOf(value).flatMap((one) =>
    isMap(one) && typeof one.name === 'string'
      ? [{ gate, name: one.name, passed: one.passed === true, message: textOf(one.message) ?? '' }]
      : [],
  );

const outputOf = (value: unknown): { path: string; completeness: number }[] => {
  if (!isMap(value) || typeof value.path !== 'string') return [];
  return [{ path: value.path, completeness: Math.min(1, Math.max(0, numberOf(value.completeness) ?? 0)) }];
};

const warningOf = (value: unknown): { code: string; message: string }[] =>
  isMap(value) && typeof value.code === 'string' ? [{ code: value.code, message: textOf(value.message) ?? '' }] : [];

/** All of them where that is said, else what went in and what came out. */
function tokensOf(usage: unknown): number | null {
  if (!isMap(usage)) return null;
  const whole = numberOf(usage.total_tokens) ?? numberOf(usage.tokens);
  if (whole !== undefined) return whole;
  const parts = [usage.input_tokens, usage.output_tokens].flatMap((part) => numberOf(part) ?? []);
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0);
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
