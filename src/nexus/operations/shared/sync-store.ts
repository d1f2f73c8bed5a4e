import type { WriteStore } from '#store/port.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import { type FarDepend, farName } from '../../model/nexus.ts';
import { farEnd } from '../../rules/nexus-wait.ts';
import { follow } from './depends.ts';

export interface Change {
  task: string;
  on: string;
  from: string;
  to: string;
}

export interface Synced {
  changed: Change[];
  freed: string[];
  blocked: string[];
  ahead: string[];
}

/** Brings what one project knows of the others up to date, inside its transaction. Tasks of another project than the caller's are told
 *  by their whole name. */
export async function syncStore(
  store: WriteStore,
  seen: Map<string, Map<string, TaskHit>>,
  now: string,
  project?: string,
): Promise<Synced> {
  const synced: Synced = { changed: [], freed: [], blocked: [], ahead: [] };
  const name = (id: string): string => (project ? farName({ project, id }) : id);
  const rows = await store.nexus.all();
  const after = rows.map((row) => known(row, seen.get(row.project), now));
  for (const [i, row] of rows.entries()) {
    const next = after[i]!;
    if (next.farStatus === row.farStatus && next.farTitle === row.farTitle) continue;
    await store.nexus.put(next);
    if (next.farStatus !== row.farStatus)
      synced.changed.push({ task: name(row.taskId), on: farEnd(row), from: row.farStatus, to: next.farStatus });
  }
  await store.nexus.seen([...seen.keys()], now);
  for (const task of await store.tasks.many([...new Set(rows.map(({ taskId }) => taskId))])) {
    const own = (all: FarDepend[]) => all.filter(({ taskId }) => taskId === task.id);
    const { is } = await follow(store, task, own(rows), own(after));
    if (is === 'freed' || is === 'blocked' || is === 'ahead') synced[is].push(name(task.id));
  }
  return synced;
}

function known(row: FarDepend, hits: Map<string, TaskHit> | undefined, now: string): FarDepend {
  if (!hits) return row;
  const hit = hits.get(row.farId);
  return { ...row, syncedAt: now, ...(hit ? { farTitle: hit.title, farStatus: hit.status } : { farStatus: 'missing' }) };
}
