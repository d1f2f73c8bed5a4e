import type { ProgressLine, ProgressMark, ProgressReporter, ProgressState, RunEvent } from '#core/model/progress.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { formatPercent } from '#lib/statistics.ts';

export const runProgress: ProgressReporter = {
  initialState: { phases: [], activities: new Map() },
  step: (state, event, atMs) => ({ state: updateState(state, event, atMs), lines: toLines(state, event) }),
  formatStatus({ phase, phases, activities }, atMs) {
    if (phase === undefined) return undefined;
    const all = [...activities.values()];
    const [first] = all;
    if (!first) return formatPhase(phase, phases);
    const oldest = Math.min(...all.map(({ sinceMs }) => sinceMs));
    if (all.length > 1)
      return joinParts([formatPhase(phase, phases), all.map(({ skill }) => skill).join(', '), formatSeconds(atMs - oldest)]);
    const { skill, what, sinceMs, untilMs } = first;
    const countdown = untilMs === undefined ? undefined : `in ${formatSeconds(Math.max(0, untilMs - atMs))}`;
    return joinParts([
      formatPhase(phase, phases),
      skill,
      countdown === undefined ? what : `${what} ${countdown}`,
      countdown ? undefined : formatSeconds(atMs - sinceMs),
    ]);
  },
};

const maxWarnings = 3;

function toLines(state: ProgressState, { event, data, about }: RunEvent): ProgressLine[] {
  const skill = toText(about.skill);
  const createLine = (mark: ProgressMark, ...parts: (string | undefined)[]): ProgressLine[] => [
    { mark, text: joinParts([skill, ...parts]) },
  ];
  switch (event) {
    case 'run_resumed':
      return [{ mark: 'note', text: 'resumes where it stopped' }];
    case 'execution_progress':
      if (data.kind === 'phase_entered') return [{ mark: 'phase', text: formatPhase(toText(about.phase) ?? '', state.phases) }];
      if (data.kind === 'artifact_created') return createLine('output', toText(data.path) ?? toText(data.note));
      if (typeof data.retry_in_ms === 'number')
        return createLine('retry', `attempt ${Number(about.attempt) + 1} in ${formatSeconds(data.retry_in_ms)}`);
      return data.kind === 'note' ? createLine('note', toText(data.note)) : [];
    case 'gate_checked':
      return toGateLines(data, createLine);
    case 'attempt_completed': {
      const isGood = data.class === 'success';
      const code = `exit ${data.exit_code}${isGood ? '' : ` (${data.class})`}`;
      return createLine(isGood ? 'success' : 'failure', `attempt ${about.attempt}`, code, formatSeconds(Number(data.duration_ms)));
    }
    case 'judge_called':
      return data.error === undefined
        ? createLine('note', `judge: ${data.verdict} ${data.score}`, data.cached ? 'cached' : undefined)
        : createLine('warning', `judge: ${data.error}`);
    case 'review_requested':
      return createLine('pending', `review ${data.review_id}`, toText(data.reason));
    case 'handoff_attempted':
      return [toHandoffLine(data)];
    case 'execution_complete':
      return listWarnings(data).flatMap((warning) => createLine('warning', warning));
    default:
      return [];
  }
}

function toGateLines(
  data: Record<string, unknown>,
  createLine: (mark: ProgressMark, ...parts: (string | undefined)[]) => ProgressLine[],
): ProgressLine[] {
  const name = `${data.name} gate`;
  // The reason for a rejected handoff was reported when it was rejected.
  const failures = toRecords(data.failures_if_any).flatMap(({ name: check, message }) =>
    String(check).startsWith('handoff:') ? 'the handoff was rejected' : (toText(message) ?? []),
  );
  if (data.status === 'skipped' || data.status === 'not_reached') return [];
  if (data.status === 'pending') return createLine('pending', name, 'waiting for a review');
  if (data.overridden) return createLine('warning', name, 'forced', ...failures);
  if (data.passed) {
    const count = toRecords(data.checks_performed).length;
    return createLine('success', name, count === 0 ? undefined : count === 1 ? '1 check' : `${count} checks`);
  }
  return createLine(data.severity === 'warn' ? 'warning' : 'failure', name, ...failures);
}

function toHandoffLine({ from_phase, to_phase, accepted, rejection_reason, validation_result }: Record<string, unknown>): ProgressLine {
  const { completeness, warnings, skipped } = isPlainObject(validation_result) ? validation_result : {};
  const pair = `${from_phase} → ${to_phase}`;
  if (!accepted) return { mark: 'failure', text: joinParts([pair, `rejected: ${rejection_reason}`]) };
  const concerns = Array.isArray(warnings) && warnings.length > 0 ? `accepted with warnings: ${warnings.join('; ')}` : undefined;
  const completenessText = typeof completeness === 'number' ? `${formatPercent(completeness)} complete` : undefined;
  return {
    mark: concerns ? 'warning' : 'success',
    text: joinParts([pair, skipped ? 'not checked' : (concerns ?? joinParts(['accepted', completenessText]))]),
  };
}

/** The warnings that no gate or review line has reported yet. */
function listWarnings(data: Record<string, unknown>): string[] {
  const all = toRecords(data.warnings)
    .filter(({ code }) => !/^(gate_|review_opened)/.test(String(code)))
    .flatMap(({ message }) => toText(message) ?? []);
  return all.length > maxWarnings ? [...all.slice(0, maxWarnings), `and ${all.length - maxWarnings} more warnings`] : all;
}

function updateState(state: ProgressState, { event, data, about }: RunEvent, atMs: number): ProgressState {
  const id = toText(about.execution_id);
  const skill = toText(about.skill) ?? '';
  const setActivity = (what: string, untilMs?: number): ProgressState =>
    id === undefined
      ? state
      : { ...state, activities: new Map(state.activities).set(id, { skill, what, sinceMs: atMs, ...defined({ untilMs }) }) };
  switch (event) {
    case 'run_started':
      return { ...state, phases: Array.isArray(data.phases) ? data.phases.map(String) : [] };
    case 'execution_progress':
      if (data.kind === 'phase_entered') return { ...state, phase: toText(about.phase) ?? '', activities: new Map() };
      if (typeof data.retry_in_ms === 'number') return setActivity(`attempt ${Number(about.attempt) + 1}`, atMs + data.retry_in_ms);
      return state;
    case 'gate_checked':
    case 'attempt_completed':
      return setActivity('checks');
    case 'attempt_started':
      return setActivity(`attempt ${about.attempt}`);
    case 'execution_complete':
      return { ...state, activities: new Map([...state.activities].filter(([one]) => one !== id)) };
    case 'run_completed':
      return { phases: state.phases, activities: new Map() };
    default:
      return state;
  }
}

/** `design (2 of 3)`; a single phase is not numbered. */
function formatPhase(phase: string, phases: string[]): string {
  const at = phases.indexOf(phase);
  return phases.length > 1 && at >= 0 ? `${phase} (${at + 1} of ${phases.length})` : phase;
}

/** One decimal below ten seconds. */
export const formatSeconds = (ms: number): string => (ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

const joinParts = (parts: (string | undefined)[]): string => parts.filter((part) => part !== undefined && part !== '').join(' · ');
const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const toRecords = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isPlainObject) : []);
