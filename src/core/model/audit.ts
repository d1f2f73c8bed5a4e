export type Gateway = 'cli' | 'cleo_query' | 'cleo_mutate' | 'http';

/** The agent that makes a call, and its session. */
export interface Caller {
  agent: string;
  session?: string;
  /** Identifies the client process of the agent on its machine. A person, an agent named outright and HTTP have none. */
  process?: string;
}

/** The caller of a call, and how it was authenticated. Without a token or a proof, `via` names the surface. */
export interface Principal {
  kind: 'person' | 'agent';
  via: 'terminal' | 'passphrase' | 'ssh' | 'token' | 'shell' | 'mcp' | 'http' | 'page';
  /** The name of the token. */
  token?: string;
  /** The person or service that the token belongs to, if it has another name. */
  owner?: string;
  /** The facts that the proof of a person is based on. */
  evidence?: Record<string, unknown>;
  /** The client process and the conversation of an agent, as far as they are known. */
  process?: string;
  conversation?: string;
}

/** One dispatched operation in the audit log. */
export interface AuditEntry {
  seq: number;
  timestamp: string;
  session?: string;
  agent: string;
  gateway: Gateway;
  /** The name as it was called; aliases are not resolved. */
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
  /** Who called and how the caller was authenticated. */
  principal?: string;
  /** The project that the entry is bound to. Entries of older versions have none. */
  project?: string;
  /** The last row of the history of tasks when the entry was appended. Entries before schema 7 have none. */
  historySeq?: number;
  /** Signature of a server over the hash, made when the entry was committed. */
  signature?: string;
  prevHash: string;
  hash: string;
}

/** An entry before it is appended to the hash chain. */
export type AuditDraft = Omit<AuditEntry, 'seq' | 'prevHash' | 'hash' | 'signature' | 'historySeq'>;

/** Signs the number and the hash of an entry; returns the text that is stored with it. */
export type SignEntry = (seq: number, hash: string) => string;

/** A stored entry with every column as text, so that the hash covers each character. */
export interface ChainLink {
  seq: number;
  prevHash: string;
  columns: (string | null)[];
  hash: string;
  signature?: string;
}

/** A claim is a lease on one task. The claim that its holder focused last is the focus of the holder. */
export interface Claim {
  taskId: string;
  agent: string;
  session?: string;
  claimedAt: string;
  focusedAt: string;
  /** The last write of the holder, or the last renewal by its MCP server. */
  renewedAt: string;
  /** The client process of the holder; see `Caller`. */
  process?: string;
  /** The time at which the holder's MCP connection closed, until the holder writes again. */
  awayAt?: string;
  /** The holder that the task was taken over from, and why. */
  takenFrom?: string;
  takenReason?: string;
}

export interface HistoryEntry {
  at: string;
  by: string;
  field: string;
  old?: unknown;
  new?: unknown;
  reason?: string;
}

/** The ids that a write changed, in order. */
export interface Changes {
  created: string[];
  updated: string[];
  deleted: string[];
}

/** The record of an idempotency key: the stored answer, or no answer while the operation runs. */
export interface StoredAnswer {
  paramsHash: string;
  answer?: string;
  at: string;
}
