import { array, boolean, type InferOutput, optional, strictObject, string, union } from 'valibot';
import { type SessionHandle, SessionStatus } from '#core/model/session-handle.ts';
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

const Item = strictObject({ id: string(), title: string() });

/** What whoever comes next has to know. */
export const Handoff = strictObject({
  note: optional(string()),
  done: array(Item),
  open: array(Item),
  blocked: array(strictObject({ id: string(), title: string(), blockedBy: optional(string()) })),
  /** Entries of memory, and notes that begin with `Decision:`. */
  decisions: array(union([Item, strictObject({ taskId: string(), text: string() })])),
  next: array(Item),
});
export type Handoff = InferOutput<typeof Handoff>;

/** A session as lists and receipts show it. */
export const SessionSummary = strictObject({
  id: string(),
  name: optional(string()),
  scope: string(),
  status: SessionStatus,
  agent: string(),
  startedAt: Timestamp,
  endedAt: optional(Timestamp),
  graded: optional(boolean()),
  phase: optional(string()),
});
export type SessionSummary = InferOutput<typeof SessionSummary>;

/** How full an agent's context window is, as it was last reported. */
export interface ContextUsage {
  used: number;
  max: number;
  at: string;
}
