import { type InferOutput, picklist } from 'valibot';

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
