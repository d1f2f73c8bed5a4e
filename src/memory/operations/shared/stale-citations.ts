import type { ReadStore } from '#store/port/store.ts';
import type { TaskProblem } from '#tasks/rules/integrity.ts';
import type { CitingKind } from '../../model/memory.ts';
import { findTaskCitations } from './task-citations.ts';

const maxFlags = 1000;

const showCommands: Record<CitingKind, string> = { memory: 'cleo memory timeline', doc: 'cleo docs fetch', task: 'cleo show' };

/** Finds citations of superseded entries. A task that no longer contains the id is skipped. */
export async function findStaleCitations(store: ReadStore): Promise<(Omit<TaskProblem, 'taskId'> & { taskId?: string })[]> {
  const flags = await store.memory.listOpenFlags(maxFlags);
  const tasks = flags.filter(({ kind }) => kind === 'task').map(({ id }) => id);
  const cited = tasks.length > 0 ? await findTaskCitations(store, [...new Set(tasks)]) : new Map<string, string[]>();
  return flags
    .filter(({ kind, id, cites }) => kind !== 'task' || cited.get(id)?.includes(cites))
    .map(({ kind, id, cites, supersededBy }) => ({
      kind: 'stale-citation' as const,
      severity: 'warning' as const,
      ...(kind === 'task' ? { taskId: id } : {}),
      message: `${id} cites ${cites}, which was superseded by ${supersededBy}`,
      fix: `${showCommands[kind]} ${id}`,
    }));
}
