import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore, WriteStore } from '#store/port/store.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { TaskProblem } from '#tasks/rules/integrity.ts';
import type { CitingKind } from '../../model/memory.ts';
import { findCitations } from '../../rules/find-citations.ts';

/** Stores which tasks cite an entry. Tasks do not record citations when they are written, so their text is searched now. */
export async function saveTaskCitations(store: WriteStore, id: string): Promise<void> {
  for (const [taskId, cited] of await findTaskCitations(store, await store.memory.findTasksMentioning(id)))
    if (cited.includes(id)) await store.memory.saveCitations('task', taskId, cited);
}

/** Finds the memory ids in the current text of tasks. */
async function findTaskCitations(store: ReadStore, ids: TaskId[]): Promise<Map<TaskId, string[]>> {
  const notes = await store.tasks.getNotes(ids);
  const getTaskText = ({ id, title, description, acceptance }: TaskRecord): string =>
    [title, description ?? '', ...acceptance.map(({ text }) => text ?? ''), ...(notes.get(id) ?? []).map(({ text }) => text)].join('\n');
  return new Map((await store.tasks.getMany(ids)).map((task) => [task.id, findCitations(getTaskText(task))]));
}

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
