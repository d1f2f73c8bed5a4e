import type { Caller } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { NewSpawn, SpawnBudget, SpawnedValidator, SpawnRecord } from '#orchestration/model/spawn.ts';

export interface SpawnReads {
  /** In the order in which they were created. */
  listForTask(taskId: TaskId): Promise<SpawnRecord[]>;
  /** The last spawn of a worker for each of these tasks. */
  listLatest(ids: TaskId[]): Promise<SpawnRecord[]>;
  /** The validator of the task that was spawned with this secret. */
  findBySecret(taskId: TaskId, hash: string): Promise<SpawnedValidator | undefined>;
  /** Prompt tokens that an orchestrator has received in its session, and its limit. */
  getBudget(caller: Caller): Promise<SpawnBudget | undefined>;
}

export interface SpawnWrites {
  insert(spawn: NewSpawn): Promise<void>;
  markSecretUsed(seq: number, at: string): Promise<void>;
  saveBudget(caller: Caller, budget: SpawnBudget, at: string): Promise<void>;
}
