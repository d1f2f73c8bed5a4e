import { defined } from '#lib/collections.ts';
import type { TraceLine } from '../model/trace.ts';
import { asNumber, asText, listRecordedChecks, toLineFacts } from './trace-facts.ts';

/** One step of a run: an event without the fields that only programs read. */
interface TimelineStep {
  seq: number;
  ts: string;
  /** Milliseconds since the run started. */
  atMs: number;
  event: string;
  phase?: string;
  skill?: string;
  attempt?: number;
  status?: string;
  gate?: string;
  exitCode?: number;
  class?: string;
  durationMs?: number;
  /** Failed checks and other remarks. */
  notes?: string[];
}

/** Converts a trace into steps. An attempt appears once, when it ends, or when it starts if it never ended. Unknown events keep their
 *  name. */
export function toTimeline(lines: TraceLine[]): TimelineStep[] {
  const startMs = Date.parse(lines[0]?.ts ?? '');
  // An execution repeats the failures of its gates at its end; those notes are dropped.
  const reported = new Set<string>();
  const ended = new Set(lines.filter(({ event }) => event === 'attempt_completed').map(getAttemptKey));
  return lines
    .filter((line) => line.event !== 'attempt_started' || !ended.has(getAttemptKey(line)))
    .map((line) => {
      const { status, gate, exitCode, class: exitClass, durationMs } = toLineFacts(line);
      const notes = listNotes(line).filter((note) => line.event !== 'execution_complete' || !reported.has(`${line.execution_id} ${note}`));
      for (const note of notes) reported.add(`${line.execution_id} ${note}`);
      return {
        seq: line.seq,
        ts: line.ts,
        atMs: Date.parse(line.ts) - startMs,
        event: getEventName(line),
        ...defined({
          phase: asText(line.phase),
          skill: asText(line.skill),
          attempt: asNumber(line.attempt),
          status,
          gate,
          exitCode,
          class: exitClass,
          durationMs,
          notes: notes.length > 0 ? notes : undefined,
        }),
      };
    });
}

const getAttemptKey = ({ execution_id, attempt }: TraceLine): string => `${execution_id}#${attempt}`;

/** Progress events are named after their kind. */
const getEventName = ({ event, data }: TraceLine): string => (event === 'execution_progress' ? (asText(data.kind) ?? event) : event);

function listNotes({ event, data }: TraceLine): string[] {
  const pick = (...names: string[]): string[] => names.flatMap((name) => asText(data[name]) ?? []);
  switch (event) {
    case 'gate_checked':
      return [
        ...listRecordedChecks(data).flatMap(({ name, isPassed, message }) => (isPassed ? [] : [message ? `${name}: ${message}` : name])),
        ...(data.overridden === true ? [`forced: ${asText(data.reason) ?? 'no reason given'}`] : []),
      ];
    case 'execution_complete':
      return [...listMessages(data.errors), ...listMessages(data.warnings)];
    case 'run_completed':
      return listMessages(data.warnings);
    case 'handoff_attempted':
      return [`${data.from_phase} → ${data.to_phase}`, ...pick('rejection_reason')];
    case 'execution_progress':
      return pick('note', 'path', 'target');
    case 'skill_invoked':
      return pick('version');
    case 'judge_called':
      return pick('error');
    case 'review_requested':
      return pick('review_id', 'reason');
    case 'review_resolved':
      return pick('review_id', 'by');
    case 'score_recorded':
      return [`${data.total_score} of ${data.max_score}`];
    default:
      return [];
  }
}

const listMessages = (all: unknown): string[] =>
  Array.isArray(all)
    ? all.flatMap((one: { message?: unknown; code?: unknown } | null) => asText(one?.message) ?? asText(one?.code) ?? [])
    : [];
