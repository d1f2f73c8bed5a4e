import { defined, isPlainObject } from '#lib/collections.ts';
import { toCanonicalJson } from '#lib/digest.ts';
import type { TraceLine } from '#runs/model/trace.ts';
import { parseRemedy } from '#runs/rules/gate/gate.ts';
import { asNumber, asText, getGateName } from '#runs/rules/trace-facts.ts';
import type { ExecutionFacts } from '../model/assessment.ts';

/** The outcome of a handoff. */
export interface HandoffOutcome {
  from: string;
  to: string;
  accepted: boolean;
  reason: string;
  /** Missing files, and missing sections of files. */
  lacks: string[];
}

export interface TraceFacts {
  executions: ExecutionFacts[];
  handoffs: HandoffOutcome[];
  /** True if the trace records the end of the run. */
  isOver: boolean;
}

interface ExecutionDraft extends Pick<ExecutionFacts, 'version' | 'isInvoked' | 'attempts' | 'timeoutMs' | 'maxAttemptMs' | 'inputs'> {
  gates: Map<string, { checks: ExecutionFacts['checks']; isForced: boolean }>;
  /** Scores by vote; null if the judge failed. */
  votes: Map<number, number | null>;
}

/** Extracts the executions of a trace, in the order in which they ended. If an execution ran again after a crash, only the last time
 *  counts; an execution that waited for a review ends twice and counts once. Field types are not trusted, because another version or
 *  program may have written the trace. */
export function extractFacts(lines: TraceLine[]): TraceFacts {
  const drafts = new Map<string, ExecutionDraft>();
  const done = new Map<string, ExecutionFacts>();
  const handoffs: HandoffOutcome[] = [];
  const unassigned: HandoffOutcome[] = [];
  let isOver = false;
  for (const line of lines) {
    if (line.event === 'handoff_attempted') {
      const handoff = toHandoff(line);
      handoffs.push(handoff);
      if (!handoff.accepted) assignRejection(handoff, done, unassigned);
    }
    isOver = line.event === 'run_completed' || (isOver && line.event !== 'run_resumed');
    const id = line.execution_id;
    if (id === undefined) continue;
    // The selection gate is the first event of an execution.
    const isNew = line.event === 'gate_checked' && getGateName(line.data) === 'selection';
    const draft = (isNew ? undefined : drafts.get(id)) ?? createDraft();
    drafts.set(id, draft);
    applyEvent(draft, line);
    const finished = done.get(id);
    // A finished run can be judged later.
    if (line.event === 'judge_called' && finished) finished.judge = listJudgeScores(draft);
    if (line.event !== 'execution_complete') continue;
    const facts = finishDraft(draft, line, id);
    done.delete(id);
    done.set(id, facts);
    // If the sender is not part of this run, the rejection counts against the receiver.
    for (const handoff of unassigned.filter(({ to }) => to === facts.phase)) {
      facts.rejections.push(toRejection(handoff));
      unassigned.splice(unassigned.indexOf(handoff), 1);
    }
  }
  return { executions: [...done.values()], handoffs, isOver };
}

/** Assigns a rejected handoff to the last execution of the sending phase. */
function assignRejection(handoff: HandoffOutcome, done: Map<string, ExecutionFacts>, unassigned: HandoffOutcome[]): void {
  const sender = [...done.values()].findLast(({ phase }) => phase === handoff.from);
  if (!sender) unassigned.push(handoff);
  else if (!sender.rejections.some(({ to }) => to === handoff.to)) sender.rejections.push(toRejection(handoff));
}

const toRejection = ({ from, to, reason }: HandoffOutcome) => ({ from, to, reason });

const createDraft = (): ExecutionDraft => ({
  version: '0.0.0',
  isInvoked: false,
  attempts: 0,
  timeoutMs: null,
  maxAttemptMs: 0,
  inputs: null,
  gates: new Map(),
  votes: new Map(),
});

function applyEvent(draft: ExecutionDraft, { event, data = {} }: TraceLine): void {
  if (event === 'gate_checked') {
    const gate = getGateName(data);
    draft.gates.set(gate, { checks: readChecks(gate, data.checks_performed), isForced: data.overridden === true });
  } else if (event === 'skill_invoked') {
    draft.isInvoked = true;
    draft.version = asText(data.version) ?? '0.0.0';
    draft.inputs = isInformative(data.input_summary) ? toCanonicalJson(data.input_summary) : null;
  } else if (event === 'attempt_started') {
    draft.attempts += 1;
    draft.timeoutMs = asNumber(data.timeout_ms) || null;
  } else if (event === 'attempt_completed') draft.maxAttemptMs = Math.max(draft.maxAttemptMs, asNumber(data.duration_ms) ?? 0);
  else if (event === 'judge_called') {
    const score = asNumber(data.score);
    draft.votes.set(asNumber(data.vote) ?? 0, score !== undefined && score >= 0 && score <= 1 ? score : null);
  }
}

/** False if the trace stores only the number of inputs, which does not identify them. */
const isInformative = (summary: unknown): boolean => isPlainObject(summary) && typeof summary.fields !== 'number';

function finishDraft(draft: ExecutionDraft, { ts, run_id, phase, skill, data = {} }: TraceLine, executionId: string): ExecutionFacts {
  const { gates, votes: _, ...counts } = draft;
  const summary = isPlainObject(data.outputs_summary) ? data.outputs_summary : {};
  return {
    runId: run_id,
    executionId,
    phase: phase ?? '',
    skill: skill ?? '',
    status: statuses.find((known) => known === data.status) ?? 'failure',
    exitCode: asNumber(data.exit_code) ?? 0,
    exitClass: asText(data.class) ?? 'unknown',
    endedAt: ts,
    durationMs: asNumber(data.duration_ms) ?? 0,
    ...counts,
    judge: listJudgeScores(draft),
    retries: asList(data.retries).length,
    checks: [...gates.values()].flatMap(({ checks }) => checks),
    forced: [...gates].filter(([, { isForced }]) => isForced).map(([gate]) => gate),
    outputs: Array.isArray(summary.required) ? summary.required.flatMap(readOutput) : null,
    tokens: countTokens(data.usage),
    confidence: asNumber(data.confidence) ?? null,
    warnings: asList(data.warnings).flatMap(readWarning),
    rejections: [],
  };
}

/** The scores of all votes. If the judge failed in one vote, the other votes do not count either. */
function listJudgeScores({ votes }: ExecutionDraft): number[] {
  const scores = [...votes.values()];
  return scores.flatMap((score) => (scores.includes(null) ? [] : (score ?? [])));
}

const statuses = ['success', 'failure', 'partial', 'blocked', 'timeout'] as const;

function toHandoff({ data = {} }: TraceLine): HandoffOutcome {
  return {
    from: asText(data.from_phase) ?? '',
    to: asText(data.to_phase) ?? '',
    accepted: data.accepted === true,
    reason: asText(data.rejection_reason) ?? '',
    lacks: parseRemedy(asText(data.remediation) ?? '').map(({ path, section }) => (section === undefined ? path : `${section} of ${path}`)),
  };
}

const readChecks = (gate: string, value: unknown): ExecutionFacts['checks'] =>
  asList(value).flatMap((one) =>
    isPlainObject(one) && typeof one.name === 'string'
      ? [{ gate, name: one.name, passed: one.passed === true, message: asText(one.message) ?? '' }]
      : [],
  );

const readOutput = (value: unknown): { path: string; completeness: number }[] => {
  if (!isPlainObject(value) || typeof value.path !== 'string') return [];
  return [{ path: value.path, completeness: Math.min(1, Math.max(0, asNumber(value.completeness) ?? 0)) }];
};

const readWarning = (value: unknown): ExecutionFacts['warnings'] =>
  isPlainObject(value) && typeof value.code === 'string'
    ? [{ code: value.code, message: asText(value.message) ?? '', ...defined({ path: asText(value.path) }) }]
    : [];

/** The total number of tokens if reported, or else the sum of input and output tokens. */
function countTokens(usage: unknown): number | null {
  if (!isPlainObject(usage)) return null;
  const total = asNumber(usage.total_tokens) ?? asNumber(usage.tokens);
  if (total !== undefined) return total;
  const parts = [usage.input_tokens, usage.output_tokens].flatMap((part) => asNumber(part) ?? []);
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0);
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
