import type { TaskId } from '#core/model/scalars.ts';
import type { Stage } from '#planning/model/lifecycle.ts';
import type { AppliedGraph } from '#planning/model/workgraph.ts';

export interface LifecycleReads {
  /** Stages that were ever changed, unordered. */
  listStages(epicId: TaskId): Promise<Stage[]>;
}

export interface LifecycleWrites {
  saveStage(epicId: TaskId, stage: Stage): Promise<void>;
}

export interface WorkGraphReads {
  /** The graph with this digest, if it was applied before. */
  getApplied(digest: string): Promise<AppliedGraph | undefined>;
}

export interface WorkGraphWrites {
  insert(applied: AppliedGraph): Promise<void>;
}
