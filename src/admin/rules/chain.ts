import type { AuditEntry, ChainLink } from '#core/model/audit.ts';
import { sha256 } from '#lib/sha256.ts';

/** What the first entry follows. */
export const firstHash = '0'.repeat(64);

/** What the hash of an entry covers: all of it, and the hash of the entry before, so that no change, gap or swap goes unseen. */
export const columnsOf = (entry: Omit<AuditEntry, 'hash'>): ChainLink['columns'] => [
  entry.prevHash,
  String(entry.seq),
  entry.timestamp,
  entry.session ?? null,
  entry.agent,
  entry.gateway,
  entry.domain,
  entry.operation,
  entry.params,
  entry.success ? '1' : '0',
  String(entry.exitCode),
  entry.errorCode ?? null,
  JSON.stringify(entry.created),
  JSON.stringify(entry.updated),
  JSON.stringify(entry.deleted),
  String(entry.durationMs),
];

/** `digest` is SHA-256; who has a faster one than ours for a long log hands it in. */
export const linkHash = (columns: ChainLink['columns'], digest = sha256): string => digest(JSON.stringify(columns));

export interface ChainState {
  seq: number;
  hash: string;
  broken?: { seq: number; problem: string };
}

export const chainStart: ChainState = { seq: 0, hash: firstHash };

/** A fold over the log in order; stops judging at the first broken link. */
export function chainStep(state: ChainState, link: ChainLink, digest = sha256): ChainState {
  if (state.broken) return state;
  if (link.seq !== state.seq + 1) return { ...state, broken: { seq: state.seq + 1, problem: 'is missing' } };
  if (link.prevHash !== state.hash) return { ...state, broken: { seq: link.seq, problem: 'does not follow the entry before it' } };
  if (linkHash(link.columns, digest) !== link.hash) return { ...state, broken: { seq: link.seq, problem: 'was changed' } };
  return { seq: link.seq, hash: link.hash };
}

/** The head is kept apart from the log: a log cut short at its end no longer reaches it. */
export function chainEnd(state: ChainState, head: { seq: number; hash: string } | undefined): ChainState {
  if (state.broken) return state;
  if (state.seq === (head?.seq ?? 0) && (head === undefined || head.hash === state.hash)) return state;
  return { ...state, broken: { seq: state.seq + 1, problem: 'is missing, or the head of the log was changed' } };
}
