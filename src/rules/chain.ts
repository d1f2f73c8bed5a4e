import type { AuditEntry } from '../model/audit.ts';
import { sha256 } from './sha256.ts';

/** What the first entry follows. */
export const firstHash = '0'.repeat(64);

/** The hash of an entry covers all of it and the hash of the entry before, so that no change, gap or swap goes unseen. */
export function linkHash(entry: Omit<AuditEntry, 'hash'>): string {
  return sha256(
    JSON.stringify([
      entry.prevHash,
      entry.seq,
      entry.timestamp,
      entry.session ?? null,
      entry.agent,
      entry.gateway,
      entry.domain,
      entry.operation,
      entry.params,
      entry.success,
      entry.exitCode,
      entry.errorCode ?? null,
      entry.created,
      entry.updated,
      entry.deleted,
      entry.durationMs,
    ]),
  );
}

export interface ChainState {
  seq: number;
  hash: string;
  broken?: { seq: number; problem: string };
}

export const chainStart: ChainState = { seq: 0, hash: firstHash };

/** A fold over the log in order; stops judging at the first broken link. */
export function chainStep(state: ChainState, entry: AuditEntry): ChainState {
  if (state.broken) return state;
  if (entry.seq !== state.seq + 1) return { ...state, broken: { seq: state.seq + 1, problem: 'is missing' } };
  if (entry.prevHash !== state.hash) return { ...state, broken: { seq: entry.seq, problem: 'does not follow the entry before it' } };
  if (linkHash(entry) !== entry.hash) return { ...state, broken: { seq: entry.seq, problem: 'was changed' } };
  return { seq: entry.seq, hash: entry.hash };
}

/** The head is kept apart from the log: a log cut short at its end no longer reaches it. */
export function chainEnd(state: ChainState, head: { seq: number; hash: string } | undefined): ChainState {
  if (state.broken) return state;
  if (state.seq === (head?.seq ?? 0) && (head === undefined || head.hash === state.hash)) return state;
  return { ...state, broken: { seq: state.seq + 1, problem: 'is missing, or the head was changed' } };
}
