import { defined } from '#lib/collections.ts';
import { runGateNames } from '../model/execution.ts';
import type { TraceLine } from '../model/trace.ts';

/** The outcome of an event, in terms that all events share. */
export interface LineFacts {
  status?: string;
  class?: string;
  exitCode?: number;
  /** Undefined for an event that can neither succeed nor fail. */
  isFailed?: boolean;
  gate?: string;
  durationMs?: number;
}

export function toLineFacts({ event, data }: Pick<TraceLine, 'event' | 'data'>): LineFacts {
  const status = asText(data.status);
  const facts: LineFacts = defined({
    status,
    class: asText(data.class),
    exitCode: asNumber(data.exit_code),
    durationMs: asNumber(data.duration_ms),
  });
  switch (event) {
    case 'execution_complete':
    case 'run_completed':
      return { ...facts, isFailed: status !== 'success' };
    case 'attempt_completed':
      return { ...facts, ...defined({ status: facts.class }), isFailed: data.exit_code !== 0 };
    case 'gate_checked':
      return { ...facts, gate: getGateName(data), isFailed: status === 'failed' || status === 'error' };
    case 'handoff_attempted':
      return { ...facts, status: data.accepted === true ? 'accepted' : 'rejected', isFailed: data.accepted !== true };
    case 'judge_called': {
      const outcome = 'error' in data ? 'error' : asText(data.verdict);
      return { ...facts, ...defined({ status: outcome }), isFailed: outcome === 'error' || outcome === 'fail' };
    }
    case 'review_resolved': {
      const verdict = asText(data.verdict);
      return { ...facts, ...defined({ status: verdict }), isFailed: verdict === 'fail' };
    }
    case 'score_recorded':
      return { ...facts, ...defined({ status: asText(data.grade) }) };
    default:
      return facts;
  }
}

/** The name of the gate of a `gate_checked` event, by its number. */
export const getGateName = (data: Record<string, unknown>): string =>
  runGateNames[data.gate_id as 0] ?? asText(data.name) ?? String(data.gate_id);

interface RecordedCheck {
  name: string;
  isPassed: boolean;
  message: string;
}

/** The checks that a `gate_checked` event records. */
export function listRecordedChecks({ checks_performed: all }: Record<string, unknown>): RecordedCheck[] {
  if (!Array.isArray(all)) return [];
  return all.flatMap((one: Record<string, unknown> | null) =>
    typeof one?.name === 'string' ? [{ name: one.name, isPassed: one.passed === true, message: asText(one.message) ?? '' }] : [],
  );
}

export const asNumber = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
