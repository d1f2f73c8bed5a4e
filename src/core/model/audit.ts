export type Gateway = 'cli' | 'cleo_query' | 'cleo_mutate' | 'http';

/** Who is calling. */
export interface Caller {
  agent: string;
  session?: string;
}

/** One dispatched operation, as the log keeps it. */
export interface AuditEntry {
  seq: number;
  timestamp: string;
  session?: string;
  agent: string;
  gateway: Gateway;
  /** As it was called: an alias stays an alias. */
  domain: string;
  operation: string;
  params: string;
  success: boolean;
  exitCode: number;
  errorCode?: string;
  created: string[];
  updated: string[];
  deleted: string[];
  durationMs: number;
  prevHash: string;
  hash: string;
}

/** The parts of an entry that are known before it gets its place in the chain. */
export type AuditDraft = Omit<AuditEntry, 'seq' | 'prevHash' | 'hash'>;

/** An entry as the log stores it, each column as text, so that not even a blank can be added unseen. */
export interface ChainLink {
  seq: number;
  prevHash: string;
  columns: (string | null)[];
  hash: string;
}

/** A claim is a lease on one task; a holder has at most one. */
export interface Claim {
  taskId: string;
  agent: string;
  session?: string;
  claimedAt: string;
  renewedAt: string;
}

export interface HistoryEntry {
  at: string;
  by: string;
  field: string;
  old?: unknown;
  new?: unknown;
  reason?: string;
}

/** Ids a write touched, in the order it touched them. */
export interface Changes {
  created: string[];
  updated: string[];
  deleted: string[];
}

/** What an idempotency key remembers: the answer of the success, or that the work has begun. */
export interface StoredAnswer {
  paramsHash: string;
  answer?: string;
  at: string;
}
