import type { WriteStore } from '#store/port/store.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import { formatRemoteId, type RemoteDependency } from '../../model/nexus.ts';
import { formatRemoteEnd } from '../../rules/nexus-wait.ts';
import { updateWaitState } from './remote-dependency.ts';

/** Tasks of other projects by id, by the name of their project. */
export type RemoteTasks = Map<string, Map<string, TaskHit>>;

export interface DependencyChange {
  task: string;
  on: string;
  from: string;
  to: string;
}

export interface SyncOutcome {
  changed: DependencyChange[];
  freed: string[];
  blocked: string[];
  ahead: string[];
}

/** Updates the stored state of remote dependencies in one project, inside its transaction. `project` is the name of a project other than
 *  the caller's; its tasks are reported with that prefix. */
export async function syncStore(store: WriteStore, remoteTasks: RemoteTasks, now: string, project?: string): Promise<SyncOutcome> {
  const synced: SyncOutcome = { changed: [], freed: [], blocked: [], ahead: [] };
  const formatName = (id: string): string => (project ? formatRemoteId({ project, id }) : id);
  const rows = await store.nexus.list();
  const after = rows.map((row) => applyRemoteState(row, remoteTasks.get(row.project), now));
  for (const [i, row] of rows.entries()) {
    const next = after[i]!;
    if (next.remoteStatus === row.remoteStatus && next.remoteTitle === row.remoteTitle) continue;
    await store.nexus.save(next);
    if (next.remoteStatus !== row.remoteStatus)
      synced.changed.push({ task: formatName(row.taskId), on: formatRemoteEnd(row), from: row.remoteStatus, to: next.remoteStatus });
  }
  await store.nexus.markSynced([...remoteTasks.keys()], now);
  for (const task of await store.tasks.getMany([...new Set(rows.map(({ taskId }) => taskId))])) {
    const filterOwn = (all: RemoteDependency[]) => all.filter(({ taskId }) => taskId === task.id);
    const { kind } = await updateWaitState(store, task, filterOwn(rows), filterOwn(after));
    if (kind === 'freed' || kind === 'blocked' || kind === 'ahead') synced[kind].push(formatName(task.id));
  }
  return synced;
}

function applyRemoteState(row: RemoteDependency, hits: Map<string, TaskHit> | undefined, now: string): RemoteDependency {
  if (!hits) return row;
  const hit = hits.get(row.remoteId);
  return { ...row, syncedAt: now, ...(hit ? { remoteTitle: hit.title, remoteStatus: hit.status } : { remoteStatus: 'missing' }) };
}
