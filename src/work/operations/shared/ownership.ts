import type { ReadStore } from '#store/port/store.ts';
import type { WorkItem } from '../../model/work-item.ts';

/** The newest changes of a task that are searched for its completion. */
const maxChanges = 200;

/** Says why a task is no longer that of the agent of an item: somebody else completed, holds or deleted it. It is theirs to decide about, so
 *  that `cleo work` must neither complete nor reopen it. A task that nobody holds is still open to the agent. */
export async function findOtherOwner(
  { tasks, claims }: Pick<ReadStore, 'tasks' | 'claims'>,
  { taskId, agentId }: Pick<WorkItem, 'taskId' | 'agentId'>,
): Promise<string | undefined> {
  const task = await tasks.get(taskId);
  if (!task) return `${taskId} was deleted`;
  if (task.status !== 'done') {
    const claim = await claims.get(taskId);
    return claim && claim.agent !== agentId ? `${claim.agent} holds ${taskId}` : undefined;
  }
  const skipped = Math.max(0, (await tasks.countHistory(taskId, Number.MAX_SAFE_INTEGER)) - maxChanges);
  const changes = await tasks.listHistory(taskId, { limit: maxChanges, offset: skipped });
  const completed = changes.findLast(({ field, new: status }) => field === 'status' && status === 'done');
  return completed && completed.by !== agentId ? `${completed.by} completed ${taskId}` : undefined;
}
