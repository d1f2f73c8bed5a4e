import { type InferOutput, picklist } from 'valibot';

export const SessionStatusSchema = picklist(['active', 'suspended', 'ended']);
export type SessionStatus = InferOutput<typeof SessionStatusSchema>;

export type ScopeKind = 'global' | 'saga' | 'epic' | 'task';

/** The tasks that a session covers: all of them, or one task with its descendants. */
export interface Scope {
  kind: ScopeKind;
  /** Absent only in a global scope. */
  root?: string;
}

/** The part of a session that every call needs. */
export interface SessionHandle {
  id: string;
  status: SessionStatus;
  scope: Scope;
  phase?: string;
  isGraded: boolean;
}
