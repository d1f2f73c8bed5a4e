import type { TaskId } from '#core/model/scalars.ts';
import type { ReleaseRecord } from '#release/model/release.ts';
import type { Page } from './page.ts';

export interface ReleaseReads {
  get(version: string): Promise<ReleaseRecord | undefined>;
  /** The newest first. */
  list(page: Page): Promise<(ReleaseRecord & { taskCount: number })[]>;
  count(): Promise<number>;
  /** Includes ids of tasks that no longer exist. */
  listTaskIds(version: string): Promise<TaskId[]>;
  /** Done tasks that are in no release, archived ones included, in the subtree of `root` or in the project. */
  listUnreleased(root: TaskId | undefined): Promise<TaskId[]>;
}

export interface ReleaseWrites {
  insert(release: ReleaseRecord, tasks: TaskId[]): Promise<void>;
  save(release: ReleaseRecord): Promise<void>;
}
