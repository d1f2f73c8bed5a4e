import { toTaskNumber } from '#core/model/scalars.ts';
import { type CallFailure, toCallFailure } from '../api/call-failure.ts';
import { query } from '../api/client.ts';
import type { Result } from '../api/operations.generated.ts';
import { type Change, connected, onChanges, onReset } from './connection.ts';
import { createStore, useStore } from './store.ts';
import { summarizeTasks, type TaskSummaries } from './task-summaries.ts';

/** A task as lists show it: a card of the board with its parent, labels, dependencies, assignee and due date. */
export type IndexTask = Result<'tasks.board'>['columns'][number]['cards'][number];

/** All tasks of the project that are neither archived nor cancelled. Views read it instead of asking the server for lists. */
export interface TaskIndex {
  status: 'loading' | 'ready' | 'failed';
  failure?: CallFailure;
  tasks: Map<string, IndexTask>;
  summaries: TaskSummaries;
}

const empty = new Map<string, IndexTask>();

export const taskIndex = createStore<TaskIndex>({ status: 'loading', tasks: empty, summaries: summarizeTasks(empty) });

export const useTaskIndex = (): TaskIndex => useStore(taskIndex);

/** Follows one task of the index. */
export const useIndexTask = (id: string | undefined): IndexTask | undefined =>
  useStore(taskIndex, ({ tasks }) => (id === undefined ? undefined : tasks.get(id)));

/** One call of `tasks.show` takes at most 1000 ids. More changes than this are read with the whole board. */
const maxRefetched = 400;
/** The state of a holder changes without a write: silent, away, expired. */
const refreshClaimsMs = 30_000;

const stale = new Set<string>();
let isLoading = false;
let needsReload = false;

/** Loads the index and keeps it up to date. */
export function startTaskIndex(): void {
  onChanges((changes) => {
    for (const id of listIndexedIds(changes)) stale.add(id);
    void refetch();
  });
  onReset(() => void reloadTaskIndex());
  setInterval(() => {
    for (const { id, claim } of taskIndex.get().tasks.values()) if (claim) stale.add(id);
    void refetch();
  }, refreshClaimsMs);
  void reloadTaskIndex();
}

/** Lists the tasks that changes name. */
export const listIndexedIds = (changes: Change[]): string[] =>
  changes.flatMap(({ created = [], updated = [], deleted = [] }) => [...created, ...updated, ...deleted]).filter((id) => /^T\d+$/.test(id));

export async function reloadTaskIndex(): Promise<void> {
  needsReload = true;
  await refetch();
}

/** Reads what changed, one call at a time. Changes that arrive during a call are read with the next one. */
async function refetch(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    await connected;
    while (needsReload || stale.size > 0) {
      if (needsReload || stale.size > maxRefetched) await readAll();
      else await readStale();
    }
  } catch (error) {
    const { tasks, summaries, status } = taskIndex.get();
    // Tasks that were read before stay on the screen; the header says that the page is offline.
    if (status !== 'ready') taskIndex.set({ status: 'failed', failure: toCallFailure(error), tasks, summaries });
  } finally {
    isLoading = false;
  }
}

async function readAll(): Promise<void> {
  needsReload = false;
  stale.clear();
  try {
    const { columns } = await query('tasks.board', { limit: 0, details: true });
    const cards = columns.flatMap((column) => column.cards);
    // In the order of the ids, in which every change sorts them again: sorting what is sorted costs nothing.
    cards.sort((a, b) => toTaskNumber(a.id) - toTaskNumber(b.id));
    setTasks(new Map(cards.map((card) => [card.id, card])));
  } catch (error) {
    needsReload = taskIndex.get().status === 'ready';
    throw error;
  }
}

async function readStale(): Promise<void> {
  const ids = [...stale];
  stale.clear();
  const tasks = new Map(taskIndex.get().tasks);
  let shown: NonNullable<Result<'tasks.show'>['tasks']> = [];
  try {
    shown = (await query('tasks.show', { taskIds: ids })).tasks ?? [];
  } catch (error) {
    if (toCallFailure(error).code !== 'E_NOT_FOUND') {
      for (const id of ids) stale.add(id);
      throw error;
    }
    // One of them was deleted, so that the call with all of them failed.
    return readAll();
  }
  for (const task of shown) {
    if (task.archivedAt || (task.resolution && task.resolution !== 'done')) tasks.delete(task.id);
    else tasks.set(task.id, toIndexTask(task));
  }
  setTasks(tasks);
}

const setTasks = (tasks: Map<string, IndexTask>): void => taskIndex.set({ status: 'ready', tasks, summaries: summarizeTasks(tasks) });

function toIndexTask(task: NonNullable<Result<'tasks.show'>['tasks']>[number]): IndexTask {
  const { id, title, status, type, priority, epicId, claim, blockedBy, completedAt, parentId, labels, depends, assignee, due } = task;
  return {
    id,
    title,
    status,
    type,
    priority,
    ...(epicId ? { epicId } : {}),
    ...(claim ? { claim } : {}),
    ...(blockedBy ? { blockedBy } : {}),
    ...(completedAt ? { completedAt } : {}),
    ...(parentId ? { parentId } : {}),
    ...(labels ? { labels } : {}),
    ...(depends ? { depends } : {}),
    ...(assignee ? { assignee } : {}),
    ...(due ? { due } : {}),
  };
}
