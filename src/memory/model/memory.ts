import {
  array,
  check,
  custom,
  description,
  type InferOutput,
  maxLength,
  metadata,
  optional,
  picklist,
  pipe,
  strictObject,
  string,
  transform,
} from 'valibot';
import type { TaskId } from '#core/model/scalars.ts';
import { isStorable } from '#core/model/storable.ts';
import { Timestamp } from '#tasks/model/task.ts';

export const memoryTypes = ['observation', 'decision', 'pattern', 'learning'] as const;
export const MemoryTypeSchema = picklist(memoryTypes);
export type MemoryType = InferOutput<typeof MemoryTypeSchema>;

export const confirmationStates = ['proposed', 'accepted', 'rejected', 'superseded'] as const;
export const ConfirmationStateSchema = picklist(confirmationStates);
export type ConfirmationState = InferOutput<typeof ConfirmationStateSchema>;

/** Prefixes of ids: `D-001` is a decision. */
export const memoryLetters = { observation: 'O', decision: 'D', pattern: 'P', learning: 'L' } as const;

export const formatMemoryId = (type: MemoryType, seq: number): string => `${memoryLetters[type]}-${String(seq).padStart(3, '0')}`;

/** Normalizes a memory id: `d-1` and `D1` become `D-001`. Undefined if the text is not an id. */
export function canonicalMemoryId(text: string): string | undefined {
  const [, letter, digits] = /^\s*([odpl])-?0*([1-9][0-9]{0,14})\s*$/i.exec(text) ?? [];
  const type = memoryTypes.find((one) => memoryLetters[one] === letter?.toUpperCase());
  return type && formatMemoryId(type, Number(digits));
}

// A malformed id is a wrong type (exit 2), as for task ids.
export const MemoryId = pipe(
  custom<string>((value) => typeof value === 'string' && canonicalMemoryId(value) !== undefined, 'Expected a memory id such as D-001'),
  transform((text) => canonicalMemoryId(text)!),
  metadata({ jsonSchema: { type: 'string', pattern: '^[ODPLodpl]-?[0-9]+$' }, value: 'D-###' }),
);

export const maxMemoryLength = 32_000;

export const MemoryContent = pipe(
  string(),
  maxLength(maxMemoryLength, `must have at most ${maxMemoryLength} characters`),
  check(isStorable, 'must not contain NUL or lone surrogates'),
  transform((text) => text.trim()),
  check((text) => text !== '', 'must not be empty'),
);

/** Kinds of sources that `--source` accepts, such as `research:T002-parsers`. */
export const sourceTables = ['research', 'vote', 'adr', 'session', 'task', 'doc'] as const;

/** An entry as lists show it. */
export interface MemoryHit {
  id: string;
  type: MemoryType;
  title: string;
  state: ConfirmationState;
  supersededBy?: string;
}

export interface MemoryRecord extends MemoryHit {
  content: string;
  digest: string;
  decidedBy?: string;
  decidedAt?: string;
  decidedReason?: string;
  /** The proof of the person who decided, as JSON; `cleo proof verify` reads it. */
  proof?: string;
  /** Origin of the entry, such as `research` with an entry id or `adr` with a path. */
  source?: { table: string; rowid: string };
  sessionId?: string;
  agentId: string;
  createdAt: string;
  tags: string[];
  tasks: TaskId[];
}

export type CitingKind = 'memory' | 'doc' | 'task';

/** A citation of a superseded entry. */
export interface CitationFlag {
  kind: CitingKind;
  id: string;
  title: string;
  cites: string;
  supersededBy: string;
}

/** An entry in the results of lists. */
export const MemorySummary = strictObject({
  id: string(),
  type: MemoryTypeSchema,
  title: string(),
  confirmation_state: ConfirmationStateSchema,
  supersededBy: optional(string()),
});

/** The proof that a person decided. `cleo proof verify` verifies it. */
export const ProofSummary = strictObject({
  via: pipe(string(), description('terminal, passphrase, ssh or token')),
  token: optional(string()),
  signer: optional(string()),
  fingerprint: optional(string()),
  terminal: optional(string()),
});

/** A complete entry in results. */
export const Memory = strictObject({
  ...MemorySummary.entries,
  content: string(),
  tags: optional(array(string())),
  tasks: optional(array(string())),
  source_table: string(),
  source_rowid: string(),
  decidedBy: optional(string()),
  decidedAt: optional(Timestamp),
  reason: optional(string()),
  proof: optional(ProofSummary),
  cites: optional(array(string())),
  stale: optional(pipe(array(strictObject({ id: string(), supersededBy: string() })), description('Cited entries that were superseded'))),
  sessionId: optional(string()),
  createdAt: Timestamp,
  createdBy: string(),
});

export const Citing = strictObject({ kind: picklist(['memory', 'doc', 'task']), id: string(), title: string() });

/** Limits for files that decisions are imported from. */
export const maxLedgerBytes = 1 << 20;
export const maxLedgers = 2000;
