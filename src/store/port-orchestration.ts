import type { Caller } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { SpawnBudget, SpawnDraft, SpawnRecord } from '#orchestration/model/spawn.ts';
import type { Stage } from '#planning/model/lifecycle.ts';
import type { AppliedGraph } from '#planning/model/workgraph.ts';
import type { ReleaseRecord } from '#release/model/release.ts';
import type { Attempt, Rounds } from '#verification/model/verification.ts';
import type { Page } from './port.ts';

export interface SpawnReads {
  /** In the order in which they were made. */
  of(taskId: TaskId): Promise<SpawnRecord[]>;
  /** Of each of these tasks the last that was for a worker. */
  latest(ids: TaskId[]): Promise<SpawnRecord[]>;
  /** How many tokens of prompts an orchestrator has been answered in its session, and how many it may be. */
  budget(caller: Caller): Promise<SpawnBudget | undefined>;
}

export interface SpawnWrites {
  insert(spawn: SpawnDraft): Promise<void>;
  keepBudget(caller: Caller, budget: SpawnBudget, at: string): Promise<void>;
}

export interface GateReads {
  /** Every time that evidence was brought, in order. */
  of(taskId: TaskId): Promise<Attempt[]>;
  /** Undefined before the first evidence. */
  rounds(taskId: TaskId): Promise<Rounds | undefined>;
  /** The same of all tasks that are not done. */
  openOnes(): Promise<Map<TaskId, Attempt[]>>;
  /** Agents that showed the work done, hold the task or were spawned to do it. */
  workers(taskId: TaskId): Promise<string[]>;
  /** Whether anything has been heard of an agent. */
  isKnown(agent: string): Promise<boolean>;
}

export interface GateWrites {
  add(taskId: TaskId, attempt: Attempt): Promise<void>;
  keep(taskId: TaskId, rounds: Rounds): Promise<void>;
}

export interface LifecycleReads {
  /** Those that somebody has touched, in no order. */
  stages(epicId: TaskId): Promise<Stage[]>;
}

export interface LifecycleWrites {
  put(epicId: TaskId, stage: Stage): Promise<void>;
}

export interface ReleaseReads {
  get(version: string): Promise<ReleaseRecord | undefined>;
  /** The newest first. */
  list(page: Page): Promise<(ReleaseRecord & { taskCount: number })[]>;
  count(): Promise<number>;
  /** Ids, also of those that exist no longer. */
  tasks(version: string): Promise<TaskId[]>;
  /** Done, archived too, and in no release; inside a root, or anywhere. */
  unreleased(root: TaskId | undefined): Promise<TaskId[]>;
}

export interface ReleaseWrites {
  insert(release: ReleaseRecord, tasks: TaskId[]): Promise<void>;
  /** How far it has come. */
  save(release: ReleaseRecord): Promise<void>;
}

export interface WorkGraphReads {
  /** The payload of this digest, if it was applied. */
  applied(digest: string): Promise<AppliedGraph | undefined>;
}

export interface WorkGraphWrites {
  keep(applied: AppliedGraph): Promise<void>;
}
