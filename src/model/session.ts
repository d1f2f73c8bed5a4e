import { array, boolean, type InferOutput, optional, picklist, strictObject, string, union } from 'valibot';
import { Timestamp } from './task.ts';

export const SessionStatus = picklist(['active', 'suspended', 'ended']);
export type SessionStatus = InferOutput<typeof SessionStatus>;

export type ScopeKind = 'global' | 'saga' | 'epic' | 'task';

/** What a session is about: everything, or one task with all that is inside it. */
export interface Scope {
  kind: ScopeKind;
  /** Absent only where the scope is global. */
  root?: string;
}

/** What every call has to know of the session it belongs to. */
export interface SessionHandle {
  id: string;
  status: SessionStatus;
  scope: Scope;
  phase?: string;
  isGraded: boolean;
}

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
