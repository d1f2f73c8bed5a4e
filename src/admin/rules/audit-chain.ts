import type { AuditEntry, ChainLink } from '#core/model/audit.ts';
import { sha256 } from '#lib/digest.ts';

/** The previous hash of the first entry. */
export const firstHash = '0'.repeat(64);

/** The columns that the hash of an entry covers: all of them and the previous hash, so that no change, gap or swap goes undetected.
 *  The signature is made over the hash and is not covered. Entries of older versions have neither a project nor a place in history;
 *  see `hashLink`. */
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
  entry.historySeq === undefined ? null : String(entry.historySeq),
];

const principalColumn = 16;
const projectColumn = 17;
const historyColumn = 18;

/** Computes the hash of an entry. `digest` is SHA-256; callers with a long log pass a native implementation.
 *  An older version wrote entries whose hash does not cover the last columns: before schema 7 the place in history, before schema 6
 *  also principal and project. A value that was added to such an entry later is covered, and one that was removed from a newer entry is
 *  missing, so the hash does not match. */
export function hashLink(columns: ChainLink['columns'], digest = sha256): string {
  const isBound = (columns[projectColumn] ?? columns[principalColumn] ?? null) !== null;
  const length = (columns[historyColumn] ?? null) !== null ? columns.length : isBound ? historyColumn : principalColumn;
  return digest(JSON.stringify(columns.slice(0, length)));
}

export interface ChainState {
  seq: number;
  hash: string;
  /** The project that the last entry is bound to. Entries of older versions are bound to none. */
  project?: string;
  /** The last entry changed the key of the project, so the next one may be bound to another. */
  isRename?: boolean;
  broken?: { seq: number; problem: string };
}

export const chainStart: ChainState = { seq: 0, hash: firstHash };

/** One step of a fold over the log in order. It stops at the first broken link. */
export function stepChain(state: ChainState, link: ChainLink, digest = sha256): ChainState {
  if (state.broken) return state;
  const fail = (problem: string, seq = link.seq): ChainState => ({ ...state, broken: { seq, problem } });
  if (link.seq !== state.seq + 1) return fail('is missing', state.seq + 1);
  if (link.prevHash !== state.hash) return fail('does not match the hash of the entry before it');
  if (hashLink(link.columns, digest) !== link.hash) return fail('was changed');
  const project = link.columns[projectColumn] ?? undefined;
  if (project === undefined && state.project === undefined) return { seq: link.seq, hash: link.hash };
  if (project === undefined) return fail('is not bound to a project, but the entry before it is');
  const isRename = changesProjectKey(link.columns);
  if (state.project !== undefined && state.project !== project && !isRename && !state.isRename && !isStoreIdentity(state.project))
    return fail(`belongs to the project ${project}, and the entry before it to ${state.project}`);
  return { seq: link.seq, hash: link.hash, project, isRename };
}

/** True for an entry that sets `project.key`, which is the only way in which a log continues under another key. */
const changesProjectKey = ([, , , , , , domain, operation, params, success]: ChainLink['columns']): boolean =>
  success === '1' && domain === 'admin' && /^config\.(?:set|unset)$/.test(operation ?? '') && (params ?? '').includes('"project.key"');

/** Prefix of the identity of a project without a key: the id of its store. */
const storePrefix = 'replica:';
const isStoreIdentity = (project: string): boolean => project.startsWith(storePrefix);

/** Returns the identity that entries are bound to: the key of the project or, without one, the id of its store. */
export const toProjectIdentity = (key: string | undefined, replica: string): string => key || `${storePrefix}${replica}`;

/** Compares the end of the log with the head, which is stored separately, so that a truncated log is detected, and with the
 *  project, so that the log of another project is detected. */
export function endChain(state: ChainState, head: { seq: number; hash: string } | undefined, project?: string): ChainState {
  if (state.broken) return state;
  if (state.seq !== (head?.seq ?? 0) || (head !== undefined && head.hash !== state.hash))
    return { ...state, broken: { seq: state.seq + 1, problem: 'is missing, or the head of the log was changed' } };
  const isOther = project !== undefined && state.project !== undefined && state.project !== project;
  if (isOther && !state.isRename && !isStoreIdentity(state.project!))
    return { ...state, broken: { seq: state.seq, problem: `belongs to the project ${state.project}, not to ${project}` } };
  return state;
}
