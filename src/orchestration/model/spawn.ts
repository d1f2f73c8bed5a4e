import { description, type InferOutput, metadata, picklist, pipe } from 'valibot';
import type { TaskId } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';

/** A worker does the task; a validator judges the work of another agent. */
export const SpawnRoleSchema = picklist(['worker', 'validator']);
export type SpawnRole = InferOutput<typeof SpawnRoleSchema>;

/** One spawn: a prompt for a task, created for one agent. */
export interface NewSpawn {
  taskId: TaskId;
  /** The agent that the prompt is for. */
  agent: string;
  session?: string;
  role: SpawnRole;
  skill: string;
  protocol: string;
  tier: number;
  promptHash: string;
  /** True if the prompt contains the text of the protocol. */
  hasProtocol: boolean;
  spawnedBy: string;
  at: string;
  /** Hash of the secret that a validator proves itself with, and the round that it is valid for. */
  secret?: { hash: string; round: number };
}

/** A spawned validator that a secret identifies. */
export interface SpawnedValidator {
  seq: number;
  agent: string;
  round: number;
  /** The secret was used for a verdict. */
  usedAt?: string;
}

export interface SpawnRecord extends NewSpawn {
  seq: number;
}

/** Tokens of prompts in the orchestrator's own context (ORC-005). */
export interface SpawnBudget {
  used: number;
  max: number;
}

/** A longer prompt goes to a file, so that it does not fill the context of the orchestrator. */
export const maxInlineTokens = 2000;

export const defaultSpawnBudget = 10_000;
export const SpawnBudgetParam = pipe(
  wholeNumber({ min: 0 }),
  description(`Tokens that prompts may use in your own context during this session, ${defaultSpawnBudget} by default (ORC-005)`),
  metadata({ isRare: true }),
);
