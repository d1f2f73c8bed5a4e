import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import { formatHolder } from '../../rules/claims.ts';
import { findSharedFiles, groupFilesByTask } from '../../rules/file-conflicts.ts';

/** Returns a function that finds those of some tasks that touch a file of a claimed task, each with a text that names the file, the task
 *  and its holder. Undefined if no claimed task has files. */
export async function createConflictFinder(
  store: Pick<ReadStore, 'claims' | 'tasks'>,
  claims: Claim[],
): Promise<((ids: TaskId[]) => Promise<Map<TaskId, string>>) | undefined> {
  const holders = new Map(claims.map((claim) => [claim.taskId, formatHolder(claim)]));
  const busy = groupFilesByTask((await store.claims.listFiles()).filter(({ taskId }) => holders.has(taskId)));
  if (busy.size === 0) return undefined;
  return async (ids) => {
    const shared = findSharedFiles(groupFilesByTask(await store.tasks.listFiles(ids)), busy);
    return new Map([...shared].map(([id, { file, taskId }]) => [id, `${file} is changed by ${taskId}, held by ${holders.get(taskId)}`]));
  };
}
