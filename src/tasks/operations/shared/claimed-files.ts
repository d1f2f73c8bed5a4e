import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import { formatHolder } from '../../rules/claims.ts';
import { findSharedFiles, groupFilesByTask } from '../../rules/file-conflicts.ts';

/** Finds open tasks that touch a file of a claimed task, each with a text that names the file, the task and its holder. */
export async function findClaimedFiles({ tasks }: ReadStore, claims: Claim[]): Promise<Map<TaskId, string>> {
  const claimed = (await tasks.getMany(claims.map(({ taskId }) => taskId))).filter(({ files }) => files.length > 0);
  if (claimed.length === 0) return new Map();
  const files = groupFilesByTask(await tasks.listFilesInSubtree(undefined));
  const holders = new Map(claims.map((claim) => [claim.taskId, formatHolder(claim)]));
  const shared = findSharedFiles(files, new Map(claimed.map((task) => [task.id, task.files])));
  return new Map([...shared].map(([id, { file, taskId }]) => [id, `${file} is changed by ${taskId}, held by ${holders.get(taskId)}`]));
}
