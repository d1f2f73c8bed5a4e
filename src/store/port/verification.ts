import type { TaskId } from '#core/model/scalars.ts';
import type { TaskBaseline } from '#tasks/model/baseline.ts';
import type { GateAttempt, RoundState } from '#verification/model/verification.ts';

export interface GateReads {
  /** The state of the checkout at the first claim of the task; undefined if it was never claimed. */
  getBaseline(taskId: TaskId): Promise<TaskBaseline | undefined>;
  /** Every submission of evidence for the task, in order. */
  listAttempts(taskId: TaskId): Promise<GateAttempt[]>;
  /** Undefined before the first evidence. */
  getRounds(taskId: TaskId): Promise<RoundState | undefined>;
  /** Open tasks whose evidence failed in at least this many rounds, by id. */
  listExhausted(minFailed: number, limit: number): Promise<{ id: TaskId; title: string; failedRounds: number }[]>;
  /** Attempts of all tasks that are not done. */
  listOpenAttempts(): Promise<Map<TaskId, GateAttempt[]>>;
  /** Agents that proved the task implemented, hold its claim or were spawned as its worker. */
  listWorkers(taskId: TaskId): Promise<string[]>;
  /** Agents that started or changed the task or gave evidence for it, with the principal in the audit log as JSON. Older versions
   *  recorded none. */
  listParticipants(taskId: TaskId): Promise<{ agent: string; principal?: string; process?: string }[]>;
  /** The conversations that were seen in the client processes. */
  listConversations(processes: string[]): Promise<{ process: string; conversation: string }[]>;
  /** True if any record names the agent. */
  isKnownAgent(agent: string): Promise<boolean>;
}

export interface GateWrites {
  addAttempt(taskId: TaskId, attempt: GateAttempt): Promise<void>;
  saveRounds(taskId: TaskId, rounds: RoundState): Promise<void>;
}
