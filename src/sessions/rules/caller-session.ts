import type { SessionHandle } from '#core/model/session-handle.ts';

export interface Candidate extends SessionHandle {
  /** The caller has started or resumed it. */
  isMine: boolean;
}

/** How a session was named, if it was: in the call itself, or by what surrounds it. */
export interface Named {
  id: string;
  by: 'call' | 'surroundings';
}

export type Choice =
  | { session: SessionHandle }
  /** Named in the call, and there is none. */
  | { unknown: string }
  /** Named, but not active; nothing else fits. */
  | { asleep: SessionHandle }
  /** A name from outside that the store does not know: entries carry it, and that is all. */
  | { tag: string }
  /** Several are active, and nothing tells which. */
  | { several: string[] }
  | { none: true };

/** The session a call belongs to: the one it names; else the one that its surroundings name, while it is active; else the one active
 *  session of this agent; else the only active one; else none. */
export function chooseSession(candidates: readonly Candidate[], named: Named | undefined): Choice {
  const match = named && candidates.find(({ id }) => id === named.id);
  if (match?.status === 'active') return { session: match };
  if (named?.by === 'call') return match ? { asleep: match } : { unknown: named.id };
  const active = candidates.filter(({ status }) => status === 'active');
  const mine = active.filter(({ isMine }) => isMine);
  if (named && !match) return { tag: named.id };
  const [only] = mine.length === 1 ? mine : mine.length === 0 && active.length === 1 ? active : [];
  if (only) return { session: only };
  if (match) return { asleep: match };
  return active.length > 0 ? { several: active.map(({ id }) => id) } : { none: true };
}
