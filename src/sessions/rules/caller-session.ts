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
  /** Several sessions are active, and nothing says which one is meant. */
  | { ambiguous: string[] }
  | { none: true };

/** Chooses the session a call belongs to: the one the call names; else the one the environment names, while it is active; else the
 *  only active session of this agent; else the only active session; else none. */
export function chooseSession(candidates: readonly SessionCandidate[], named: SessionReference | undefined): SessionChoice {
  const match = named && candidates.find(({ id }) => id === named.id);
  if (match?.status === 'active') return { session: match };
  if (named?.by === 'call') return match ? { inactive: match } : { unknown: named.id };
  const active = candidates.filter(({ status }) => status === 'active');
  const mine = active.filter(({ isMine }) => isMine);
  if (named && !match) return { tag: named.id };
  const [only] = mine.length === 1 ? mine : mine.length === 0 && active.length === 1 ? active : [];
  if (only) return { session: only };
  if (match) return { inactive: match };
  return active.length > 0 ? { ambiguous: active.map(({ id }) => id) } : { none: true };
}
