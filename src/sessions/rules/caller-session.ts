import type { SessionHandle } from '#core/model/session-handle.ts';

export interface SessionCandidate extends SessionHandle {
  /** The caller has started or resumed this session. */
  isMine: boolean;
}

/** A session id that came with a call: as a parameter of the call, or from the environment of the process. */
export interface SessionReference {
  id: string;
  by: 'call' | 'environment';
}

type SessionChoice =
  | { session: SessionHandle }
  /** The call names a session that does not exist. */
  | { unknown: string }
  /** The named session is not active, and no other session fits. */
  | { inactive: SessionHandle }
  /** An id from the environment that the store does not know. It only labels audit entries. */
  | { tag: string }
  /** The caller has several active sessions, and nothing says which one is meant. */
  | { ambiguous: string[] }
  /** The caller is in no session; these are the active ones of other agents. */
  | { others: string[] };

/** Chooses the session a call belongs to: the one the call names; else the one the environment names, while it is active; else the
 *  active session of this agent; else none. */
export function chooseSession(candidates: readonly SessionCandidate[], named: SessionReference | undefined): SessionChoice {
  const match = named && candidates.find(({ id }) => id === named.id);
  if (match?.status === 'active') return { session: match };
  if (named?.by === 'call') return match ? { inactive: match } : { unknown: named.id };
  if (named && !match) return { tag: named.id };
  const active = candidates.filter(({ status }) => status === 'active');
  const [first, ...rest] = active.filter(({ isMine }) => isMine);
  if (first) return rest.length > 0 ? { ambiguous: [first, ...rest].map(({ id }) => id) } : { session: first };
  return match ? { inactive: match } : { others: active.map(({ id }) => id) };
}
