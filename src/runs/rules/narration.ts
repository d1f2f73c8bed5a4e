import type { Mark, ProgressLine, ProgressReporter, ProgressState, RunEvent } from '#core/model/progress.ts';
import { isMap } from '#lib/is-map.ts';

export const runNarration: ProgressReporter = {
  begin: { phases: [], doing: new Map() },
  step: (tale, happening, atMs) => ({ tale: moved(tale, happening, atMs), lines: linesOf(tale, happening) }),
  now({ phase, phases, doing }, atMs) {
    if (phase === undefined) return undefined;
    const all = [...doing.values()];
    const [first] = all;
    if (!first) return place(phase, phases);
    const oldest = Math.min(...all.map(({ sinceMs }) => sinceMs));
    if (all.length > 1) return said([place(phase, phases), all.map(({ skill }) => skill).join(', '), seconds(atMs - oldest)]);
    const { skill, what, sinceMs, untilMs } = first;
    const left = untilMs === undefined ? undefined : `in ${seconds(Math.max(0, untilMs - atMs))}`;
    return said([place(phase, phases), skill, left === undefined ? what : `${what} ${left}`, left ? undefined : seconds(atMs - sinceMs)]);
  },
};

const warningsTold = 3;

function linesOf(tale: ProgressState, { event, data, about }: RunEvent): ProgressLine[] {
  const skill = text(about.skill);
  const line = (mark: Mark, ...parts: (string | undefined)[]): ProgressLine[] => [{ mark, text: said([skill, ...parts]) }];
  switch (event) {
    case 'run_resumed':
      return [{ mark: 'note', text: 'goes on where it was left' }];
    case 'execution_progress':
      if (data.kind === 'phase_entered') return [{ mark: 'phase', text: place(text(about.phase) ?? '', tale.phases) }];
      if (data.kind === 'artifact_created') return line('made', text(data.path) ?? text(data.note));
      if (typeof data.retry_in_ms === 'number')
        return line('again', `attempt ${Number(about.attempt) + 1} in ${seconds(data.retry_in_ms)}`);
      return data.kind === 'note' ? line('note', text(data.note)) : [];
    case 'gate_checked':
      return gate(data, line);
    case 'attempt_completed': {
      const isGood = data.class === 'success';
      const code = `exit ${data.exit_code}${isGood ? '' : ` (${data.class})`}`;
      return line(isGood ? 'good' : 'bad', `attempt ${about.attempt}`, code, seconds(Number(data.duration_ms)));
    }
    case 'judge_called':
      return data.error === undefined
        ? line('note', `judge: ${data.verdict} ${data.score}`, data.cached ? 'as before' : undefined)
        : line('odd', `judge: ${data.error}`);
    case 'review_requested':
      return line('open', `review ${data.review_id}`, text(data.reason));
    case 'handoff_attempted':
      return [handoff(data)];
    case 'execution_complete':
      return warnings(data).flatMap((warning) => line('odd', warning));
    default:
      return [];
  }
}

function gate(data: Record<string, unknown>, line: (mark: Mark, ...parts: (string | undefined)[]) => ProgressLine[]): ProgressLine[] {
  const name = `gate ${data.gate_id} ${data.name}`;
  // Why a handoff is refused was told when it was.
  const failures = records(data.failures_if_any).flatMap(({ name: check, message }) =>
    String(check).startsWith('handoff:') ? 'it was not handed what it needs' : (text(message) ?? []),
  );
  // What was left out on purpose was not decided.
  if (data.status === 'skipped' || data.status === 'not_reached') return [];
  if (data.status === 'pending') return line('open', name, 'somebody has to judge it');
  if (data.overridden) return line('odd', name, 'forced', ...failures);
  if (data.passed) {
    const count = records(data.checks_performed).length;
    return line('good', name, count === 0 ? undefined : count === 1 ? '1 check' : `${count} checks`);
  }
  return line(data.severity === 'warn' ? 'odd' : 'bad', name, ...failures);
}

function handoff({ from_phase, to_phase, accepted, rejection_reason, validation_result }: Record<string, unknown>): ProgressLine {
  const { completeness, warnings: remarks, skipped } = isMap(validation_result) ? validation_result : {};
  const pair = `${from_phase} → ${to_phase}`;
  if (!accepted) return { mark: 'bad', text: said([pair, `refused: ${rejection_reason}`]) };
  const odd = Array.isArray(remarks) && remarks.length > 0 ? `accepted, though ${remarks.join('; ')}` : undefined;
  const whole = typeof completeness === 'number' ? `complete to ${percent(completeness)}` : undefined;
  return { mark: odd ? 'odd' : 'good', text: said([pair, skipped ? 'not looked at' : (odd ?? said(['accepted', whole]))]) };
}

/** What the lines of gates and reviews have not said yet. */
function warnings(data: Record<string, unknown>): string[] {
  const all = records(data.warnings)
    .filter(({ code }) => !/^(gate_|review_opened)/.test(String(code)))
    .flatMap(({ message }) => text(message) ?? []);
  return all.length > warningsTold ? [...all.slice(0, warningsTold), `and ${all.length - warningsTold} more warnings`] : all;
}

function moved(tale: ProgressState, { event, data, about }: RunEvent, atMs: number): ProgressState {
  const id = text(about.execution_id);
  const skill = text(about.skill) ?? '';
  const doing = (what: string, untilMs?: number): ProgressState =>
    id === undefined
      ? tale
      : { ...tale, doing: new Map(tale.doing).set(id, { skill, what, sinceMs: atMs, ...(untilMs === undefined ? {} : { untilMs }) }) };
  switch (event) {
    case 'run_started':
      return { ...tale, phases: Array.isArray(data.phases) ? data.phases.map(String) : [] };
    case 'execution_progress':
      if (data.kind === 'phase_entered') return { ...tale, phase: text(about.phase) ?? '', doing: new Map() };
      if (typeof data.retry_in_ms === 'number') return doing(`attempt ${Number(about.attempt) + 1}`, atMs + data.retry_in_ms);
      return tale;
    case 'gate_checked':
    case 'attempt_completed':
      return doing('checks');
    case 'attempt_started':
      return doing(`attempt ${about.attempt}`);
    case 'execution_complete':
      return { ...tale, doing: new Map([...tale.doing].filter(([one]) => one !== id)) };
    case 'run_completed':
      return { phases: tale.phases, doing: new Map() };
    default:
      return tale;
  }
}

/** `design (2 of 3)`; one phase alone is not counted. */
function place(phase: string, phases: string[]): string {
  const at = phases.indexOf(phase);
  return phases.length > 1 && at >= 0 ? `${phase} (${at + 1} of ${phases.length})` : phase;
}

/** To the tenth where that is much. */
export const seconds = (ms: number): string => (ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

/** Rounded down: all of it is all of it. */
const percent = (share: number): string => `${Math.floor(share * 100 + 1e-9)} %`;

const said = (parts: (string | undefined)[]): string => parts.filter((part) => part !== undefined && part !== '').join(' · ');
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const records = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isMap) : []);
