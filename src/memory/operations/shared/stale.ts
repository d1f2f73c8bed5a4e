import type { ReadStore } from '#store/port.ts';
import type { Problem } from '#tasks/rules/integrity.ts';
import type { CitingKind } from '../../model/memory.ts';
import { citedInTasks } from './cite-tasks.ts';

const mostFlags = 1000;

const look: Record<CitingKind, string> = { memory: 'cleo memory timeline', doc: 'cleo docs fetch', task: 'cleo show' };

/** Whatever is in use and cites an entry that was superseded. A task that was rewritten since no longer does. */
export async function staleCitations(store: ReadStore): Promise<(Omit<Problem, 'taskId'> & { taskId?: string })[]> {
  const flags = await store.memory.openFlags(mostFlags);
  const tasks = flags.filter(({ kind }) => kind === 'task').map(({ id }) => id);
  const cited = tasks.length > 0 ? await citedInTasks(store, [...new Set(tasks)]) : new Map<string, string[]>();
  return flags
    .filter(({ kind, id, cites }) => kind !== 'task' || cited.get(id)?.includes(cites))
    .map(({ kind, id, cites, supersededBy }) => ({
      kind: 'stale-citation' as const,
      severity: 'warning' as const,
      ...(kind === 'task' ? { taskId: id } : {}),
      message: `${id} cites ${cites}, which was superseded by ${supersededBy}`,
      fix: `${look[kind]} ${id}`,
    }));
}
