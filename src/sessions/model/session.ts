import { array, boolean, type InferOutput, optional, strictObject, string, union } from 'valibot';
import { type SessionHandle, SessionStatusSchema } from '#core/model/session-handle.ts';
import { Timestamp } from '#tasks/model/task.ts';

export interface SessionRecord extends SessionHandle {
  name?: string;
  startedBy: string;
  startedAt: string;
  updatedAt: string;
  endedAt?: string;
  note?: string;
  handoff?: Handoff;
}

const HandoffItem = strictObject({ id: string(), title: string() });

/** Summary that a session leaves for the agent that continues the work. */
export const HandoffSchema = strictObject({
  note: optional(string()),
  done: array(HandoffItem),
  open: array(HandoffItem),
  blocked: array(strictObject({ id: string(), title: string(), blockedBy: optional(string()) })),
  /** Memory entries, and notes that begin with `Decision:`. */
  decisions: array(union([HandoffItem, strictObject({ taskId: string(), text: string() })])),
  next: array(HandoffItem),
  /** The parts of agents that left the session before its end. */
  parts: optional(
    array(strictObject({ agent: string(), at: Timestamp, note: optional(string()), done: array(HandoffItem), open: array(HandoffItem) })),
  ),
});
export type Handoff = InferOutput<typeof HandoffSchema>;

/** A session as lists and receipts show it. */
export const SessionSummarySchema = strictObject({
  id: string(),
  name: optional(string()),
  scope: string(),
  status: SessionStatusSchema,
  agent: string(),
  startedAt: Timestamp,
  endedAt: optional(Timestamp),
  graded: optional(boolean()),
  phase: optional(string()),
});
export type SessionSummary = InferOutput<typeof SessionSummarySchema>;

/** The latest report of how many tokens an agent's context window holds. */
export interface ContextUsage {
  used: number;
  max: number;
  at: string;
}
