import { gateNames } from '../model/execution.ts';
import type { TraceLine } from '../model/trace.ts';

/** What an event came to, in words that hold for all of them. */
export interface LineFacts {
  status?: string;
  class?: string;
  exitCode?: number;
  /** Undefined where it can neither succeed nor fail. */
  isFailed?: boolean;
  gate?: string;
  durationMs?: number;
}

export function factsOf({ event, data }: Pick<TraceLine, 'event' | 'data'>): LineFacts {
  const status = textOf(data.status);
  const about = {
    ...(status === undefined ? {} : { status }),
    ...(textOf(data.class) === undefined ? {} : { class: textOf(data.class)! }),
    ...(typeof data.exit_code === 'number' ? { exitCode: data.exit_code } : {}),
    ...(typeof data.duration_ms === 'number' ? { durationMs: data.duration_ms } : {}),
  };
  switch (event) {
    case 'execution_complete':
    case 'run_completed':
      return { ...about, isFailed: status !== 'success' };
    case 'attempt_completed':
      return { ...about, ...(about.class ? { status: about.class } : {}), isFailed: data.exit_code !== 0 };
    case 'gate_checked':
      return { ...about, gate: gateOf(data), isFailed: status === 'failed' || status === 'error' };
    case 'handoff_attempted':
      return { ...about, status: data.accepted === true ? 'accepted' : 'rejected', isFailed: data.accepted !== true };
    case 'judge_called': {
      const said = 'error' in data ? 'error' : textOf(data.verdict);
      return { ...about, ...(said ? { status: said } : {}), isFailed: said === 'error' || said === 'fail' };
    }
    case 'review_resolved': {
      const verdict = textOf(data.verdict);
      return { ...about, ...(verdict ? { status: verdict } : {}), isFailed: verdict === 'fail' };
    }
    case 'score_recorded':
      return { ...about, ...(textOf(data.grade) ? { status: textOf(data.grade)! } : {}) };
    default:
      return about;
  }
}

const gateOf = (data: Record<string, unknown>): string => textOf(data.name) ?? gateNames[data.gate_id as 0] ?? String(data.gate_id);

export interface CheckSeen {
  name: string;
  isPassed: boolean;
  message: string;
}

/** The checks of a gate, as far as they are told. */
export function checksOf({ checks_performed: all }: Record<string, unknown>): CheckSeen[] {
  if (!Array.isArray(all)) return [];
  return all.flatMap((one: Record<string, unknown> | null) =>
    typeof one?.name === 'string' ? [{ name: one.name, isPassed: one.passed === true, message: textOf(one.message) ?? '' }] : [],
  );
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
