import type { TraceLine } from '../model/trace.ts';
import { checksOf, factsOf, textOf } from './trace-facts.ts';

/** One step of a run, in the order it was taken: what an event says, without what only machines read. */
export interface Step {
  seq: number;
  ts: string;
  /** Since the run began. */
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
  /** What did not hold, or what is to be noted. */
  notes?: string[];
}

/** A trace as a story. An attempt is told when it ends, unless it never did; events of a later cleo are told by their names. */
export function timelineOf(lines: TraceLine[]): Step[] {
  const began = Date.parse(lines[0]?.ts ?? '');
  // What an execution says at its end, its gates have mostly said before.
  const told = new Set<string>();
  const ended = new Set(lines.filter(({ event }) => event === 'attempt_completed').map(attemptKey));
  return lines
    .filter((line) => line.event !== 'attempt_started' || !ended.has(attemptKey(line)))
    .map((line) => {
      const { status, gate, exitCode, class: of, durationMs } = factsOf(line);
      const notes = notesOf(line).filter((note) => line.event !== 'execution_complete' || !told.has(`${line.execution_id} ${note}`));
      for (const note of notes) told.add(`${line.execution_id} ${note}`);
      return {
        ...{ seq: line.seq, ts: line.ts, atMs: Date.parse(line.ts) - began, event: eventOf(line) },
        ...(textOf(line.phase) === undefined ? {} : { phase: line.phase! }),
        ...(textOf(line.skill) === undefined ? {} : { skill: line.skill! }),
        ...(typeof line.attempt === 'number' ? { attempt: line.attempt } : {}),
        ...(status === undefined ? {} : { status }),
        ...(gate === undefined ? {} : { gate }),
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(of === undefined ? {} : { class: of }),
        ...(durationMs === undefined ? {} : { durationMs }),
        ...(notes.length > 0 ? { notes } : {}),
      };
    });
}

const attemptKey = ({ execution_id, attempt }: TraceLine): string => `${execution_id}#${attempt}`;

/** Progress is told by its kind. */
const eventOf = ({ event, data }: TraceLine): string => (event === 'execution_progress' ? (textOf(data.kind) ?? event) : event);

function notesOf({ event, data }: TraceLine): string[] {
  const said = (...names: string[]): string[] => names.flatMap((name) => textOf(data[name]) ?? []);
  switch (event) {
    case 'gate_checked':
      return [
        ...checksOf(data).flatMap(({ name, isPassed, message }) => (isPassed ? [] : [message ? `${name}: ${message}` : name])),
        ...(data.overridden === true ? [`forced: ${textOf(data.reason) ?? 'no reason was given'}`] : []),
      ];
    case 'execution_complete':
      return [...messagesOf(data.errors), ...messagesOf(data.warnings)];
    case 'run_completed':
      return messagesOf(data.warnings);
    case 'handoff_attempted':
      return [`${data.from_phase} → ${data.to_phase}`, ...said('rejection_reason')];
    case 'execution_progress':
      return said('note', 'path', 'target');
    case 'skill_invoked':
      return said('version');
    case 'judge_called':
      return said('error');
    case 'review_requested':
      return said('review_id', 'reason');
    case 'review_resolved':
      return said('review_id', 'by');
    case 'score_recorded':
      return [`${data.total_score} of ${data.max_score}`];
    default:
      return [];
  }
}

const messagesOf = (all: unknown): string[] =>
  Array.isArray(all)
    ? all.flatMap((one: { message?: unknown; code?: unknown } | null) => textOf(one?.message) ?? textOf(one?.code) ?? [])
    : [];
