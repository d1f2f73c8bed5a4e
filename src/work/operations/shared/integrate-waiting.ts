import { defined } from '#lib/collections.ts';
import type { WorkItem, WorkOutcome } from '../../model/work-item.ts';
import { canIntegrate, integrate } from './integrate.ts';
import { listItems } from './stored-items.ts';
import { report, saveItem, type WorkRun } from './work-run.ts';
import { releaseFinished } from './work-task.ts';
import { retireWorktree } from './worktree.ts';

/** Lists the tasks of this process whose finished work waits to be merged or pushed, the oldest first. */
export const listWaiting = ({ runner, process, active }: WorkRun): WorkItem[] =>
  listItems(runner)
    .filter(({ taskId, state, workId }) => state === 'waiting' && workId === process.workId && !active.has(taskId))
    .reverse();

/** Tries again to merge or push the finished work of this process that had to wait; true if any of it no longer waits. */
export async function integrateWaiting(work: WorkRun): Promise<boolean> {
  const waiting = listWaiting(work);
  // As long as the base cannot move, `work.verify` would run for nothing.
  if (waiting.length === 0 || !(await canIntegrate(work))) return false;
  let isChanged = false;
  for (const item of waiting) if (!work.drain.signal.aborted && (await integrateItem(work, item))) isChanged = true;
  return isChanged;
}

async function integrateItem(work: WorkRun, item: WorkItem): Promise<boolean> {
  const integrated = await integrate(work, item);
  if (!('findings' in integrated)) {
    if (integrated.isWaiting) {
      saveItem(work, item, defined({ note: integrated.note }));
      return false;
    }
    if (item.worktree !== undefined) await retireWorktree(work, item.worktree);
    endItem(work, item, { outcome: 'done', note: integrated.note });
    return true;
  }
  endItem(work, item, await releaseFinished(work, item, integrated.findings.join(' ')));
  return true;
}

function endItem(work: WorkRun, item: WorkItem, { outcome, note }: { outcome: WorkOutcome; note?: string | undefined }): void {
  saveItem(work, item, { state: outcome === 'lost' ? 'stopped' : outcome, ...defined({ note }) });
  const result = work.results.find(({ taskId }) => taskId === item.taskId);
  if (result) Object.assign(result, { outcome, ...defined({ note }) });
  report(work, 'work_ended', item.taskId, { outcome, note, branch: item.branch, rounds: item.round });
}
