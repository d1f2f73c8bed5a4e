import type { CleoError } from './errors/error.ts';

/** The agent and the folder of a call that a job makes; by default those of the job. */
export interface CallIdentity {
  agent?: string;
  session?: string;
  folder?: string;
  signal?: AbortSignal;
}

export interface CallReply {
  result: Record<string, unknown>;
  exitCode: number;
  warnings: string[];
  /** The error, if the call failed; then the result is empty. */
  error?: CleoError;
}
