import { type InferOutput, picklist } from 'valibot';
import type { TaskId } from '#core/model/scalars.ts';

/** A worker does the task; a validator judges what another did. */
export const SpawnRole = picklist(['worker', 'validator']);
export type SpawnRole = InferOutput<typeof SpawnRole>;

/** One prompt that was handed out: for which task, to whom, with what in it. */
export interface SpawnDraft {
  taskId: TaskId;
  /** Whom the prompt is for. */
  agent: string;
  session?: string;
  role: SpawnRole;
  skill: string;
  protocol: string;
  tier: number;
  promptHash: string;
  /** The text of the protocol is part of the prompt. */
  hasProtocol: boolean;
  spawnedBy: string;
  at: string;
}

export interface SpawnRecord extends SpawnDraft {
  seq: number;
}

/** What prompts cost the context of the orchestrator that hands them on (ORC-005). */
export interface SpawnBudget {
  used: number;
  max: number;
}

export const defaultBudget = 10_000;
