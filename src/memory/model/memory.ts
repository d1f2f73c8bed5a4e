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
import { isStorable, type TaskId } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';

export const memoryTypes = ['observation', 'decision', 'pattern', 'learning'] as const;
export const MemoryType = picklist(memoryTypes);
export type MemoryType = InferOutput<typeof MemoryType>;

export const confirmationStates = ['proposed', 'accepted', 'rejected', 'superseded'] as const;
export const ConfirmationState = picklist(confirmationStates);
export type ConfirmationState = InferOutput<typeof ConfirmationState>;

/** The letter before the number: `D-001` is a decision. */
export const memoryLetters = { observation: 'O', decision: 'D', pattern: 'P', learning: 'L' } as const;

export const memoryId = (type: MemoryType, seq: number): string => `${memoryLetters[type]}-${String(seq).padStart(3, '0')}`;

/** `D-001`, `d-1`, `D1` name one entry; what we print is `D-001`. */
export function canonicalMemoryId(text: string): string | undefined {
  const [, letter, digits] = /^\s*([odpl])-?0*([1-9][0-9]{0,14})\s*$/i.exec(text) ?? [];
  const type = memoryTypes.find((one) => memoryLetters[one] === letter?.toUpperCase());
  return type && memoryId(type, Number(digits));
}

// As a task id: what is malformed is a call of the wrong shape (exit 2).
export const MemoryId = pipe(
  custom<string>((value) => typeof value === 'string' && canonicalMemoryId(value) !== undefined, 'Expected a memory id such as D-001'),
  transform((text) => canonicalMemoryId(text)!),
  metadata({ jsonSchema: { type: 'string', pattern: '^[ODPLodpl]-?[0-9]+$' }, value: 'D-###' }),
);

export const longestMemory = 32_000;

export const MemoryContent = pipe(
  string(),
  maxLength(longestMemory, `must have at most ${longestMemory} characters`),
  check(isStorable, 'must not contain NUL or lone surrogates'),
  transform((text) => text.trim()),
  check((text) => text !== '', 'must not be empty'),
);

/** Where an entry came from, as `--source research:T002-parsers` names it. */
export const sourceTables = ['research', 'vote', 'adr', 'session', 'task', 'doc'] as const;
export type SourceTable = (typeof sourceTables)[number] | 'ledger';

/** What is enough to recognise an entry by. */
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
  /** Where it came from: `research` and the id of an entry, `adr` and a path. */
  source?: { table: string; rowid: string };
  sessionId?: string;
  agentId: string;
  createdAt: string;
  tags: string[];
  tasks: TaskId[];
}

/** What may cite an entry. */
export type CitingKind = 'memory' | 'doc' | 'task';

/** What cites something that was superseded, and what it cites. */
export interface Flag {
  kind: CitingKind;
  id: string;
  title: string;
  cites: string;
  supersededBy: string;
}

/** An entry as lists answer it. */
export const MemorySummary = strictObject({
  id: string(),
  type: MemoryType,
  title: string(),
  confirmation_state: ConfirmationState,
  supersededBy: optional(string()),
});

/** The whole of it. */
export const Memory = strictObject({
  ...MemorySummary.entries,
  content: string(),
  tags: optional(array(string())),
  tasks: optional(array(string())),
  source_table: optional(string()),
  source_rowid: optional(string()),
  decidedBy: optional(string()),
  decidedAt: optional(Timestamp),
  reason: optional(string()),
  cites: optional(array(string())),
  stale: optional(
    pipe(array(strictObject({ id: string(), supersededBy: string() })), description('What it cites and was superseded since')),
  ),
  sessionId: optional(string()),
  createdAt: Timestamp,
  createdBy: string(),
});

export const Citing = strictObject({ kind: picklist(['memory', 'doc', 'task']), id: string(), title: string() });

/** Of files that decisions are taken over from. */
export const largestLedger = 1 << 20;
export const mostLedgers = 2000;
