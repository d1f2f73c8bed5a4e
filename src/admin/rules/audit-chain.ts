import type { AuditEntry, ChainLink } from '#core/model/audit.ts';
import { sha256 } from '#lib/sha256.ts';

/** The previous hash of the first entry. */
export const firstHash = '0'.repeat(64);

/** The columns that the hash of an entry covers: all of them and the previous hash, so that no change, gap or swap goes undetected.
 *  The signature is made over the hash and is not covered. Entries of older versions have no project; see `hashLink`. */
export const toHashedColumns = (entry: Omit<AuditEntry, 'hash'>): ChainLink['columns'] => [
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
  entry.principal ?? null,
  entry.project ?? null,
];

const principalColumn = 16;
const projectColumn = 17;

/** Computes the hash of an entry. `digest` is SHA-256; callers with a long log pass a native implementation.
 *  An entry without a project was written by an older version, whose hash covers neither principal nor project. A principal in
 *  such an entry was added later, so it is covered and the hash does not match. */
export function hashLink(columns: ChainLink['columns'], digest = sha256): string {
  const isOldForm = (columns[projectColumn] ?? null) === null && (columns[principalColumn] ?? null) === null;
  return digest(JSON.stringify(isOldForm ? columns.slice(0, principalColumn) : columns));
}

export interface ChainState {
  seq: number;
  hash: string;
  broken?: { seq: number; problem: string };
}

export const chainStart: ChainState = { seq: 0, hash: firstHash };

/** One step of a fold over the log in order. It stops at the first broken link. */
export function stepChain(state: ChainState, link: ChainLink, digest = sha256): ChainState {
  if (state.broken) return state;
  if (link.seq !== state.seq + 1) return { ...state, broken: { seq: state.seq + 1, problem: 'is missing' } };
  if (link.prevHash !== state.hash)
    return { ...state, broken: { seq: link.seq, problem: 'does not match the hash of the entry before it' } };
  if (hashLink(link.columns, digest) !== link.hash) return { ...state, broken: { seq: link.seq, problem: 'was changed' } };
  return { seq: link.seq, hash: link.hash };
}

/** Compares the end of the log with the head, which is stored separately, so that a truncated log is detected. */
export function endChain(state: ChainState, head: { seq: number; hash: string } | undefined): ChainState {
  if (state.broken) return state;
  if (state.seq === (head?.seq ?? 0) && (head === undefined || head.hash === state.hash)) return state;
  return { ...state, broken: { seq: state.seq + 1, problem: 'is missing, or the head of the log was changed' } };
}
