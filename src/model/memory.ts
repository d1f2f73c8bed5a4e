import { type InferOutput, picklist } from 'valibot';
import type { TaskId } from './scalars.ts';

export const memoryTypes = ['observation', 'decision', 'pattern', 'learning'] as const;
export const MemoryType = picklist(memoryTypes);
export type MemoryType = InferOutput<typeof MemoryType>;

export const confirmationStates = ['proposed', 'accepted', 'rejected', 'superseded'] as const;
export const ConfirmationState = picklist(confirmationStates);
export type ConfirmationState = InferOutput<typeof ConfirmationState>;

/** The letter before the number: `D-001` is a decision. */
export const memoryLetters = { observation: 'O', decision: 'D', pattern: 'P', learning: 'L' } as const;

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
