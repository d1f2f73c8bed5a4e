import type { TaskId } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';
import { createPathIndex, isBroader } from '#lib/path-overlap.ts';

export interface FileConflict {
  /** Of two declared paths that overlap, the narrower one: of `src` and `src/a.ts` the file. */
  file: string;
  /** Tasks that touch the file, in the order they were given. */
  tasks: TaskId[];
}

type FilesByTask = ReadonlyMap<TaskId, string[]>;

/** Finds files that several of these tasks touch, sorted by path, and the tasks to defer: a task waits if it shares a file with an
 *  earlier one that does not wait itself. A declared path is a file, a folder or a glob, in any spelling. */
export function findFileConflicts(ids: TaskId[], files: FilesByTask): { conflicts: FileConflict[]; deferred: Set<TaskId> } {
  const declared = ids.flatMap((id) => files.get(id) ?? []);
  const index = createPathIndex(declared, () => ({ tasks: [] as TaskId[], isTaken: false }));
  const deferred = new Set<TaskId>();
  for (const id of ids) {
    const entries = (files.get(id) ?? []).map(index.get);
    if (entries.some(({ value, overlaps }) => value.isTaken || overlaps.some((other) => other.value.isTaken))) deferred.add(id);
    for (const { value } of entries) {
      if (value.tasks.at(-1) !== id) value.tasks.push(id);
      value.isTaken ||= !deferred.has(id);
    }
  }
  const positions = new Map(ids.map((id, i) => [id, i]));
  const conflicts = index.list().flatMap(({ path, value, overlaps }) => {
    if (overlaps.length === 0 && value.tasks.length < 2) return [];
    const tasks = new Set(value.tasks);
    for (const other of overlaps) if (isBroader(other.path, path)) for (const id of other.value.tasks) tasks.add(id);
    return tasks.size > 1 ? [{ file: path || '.', tasks: [...tasks].sort((a, b) => positions.get(a)! - positions.get(b)!) }] : [];
  });
  return { conflicts: conflicts.sort((a, b) => (a.file < b.file ? -1 : 1)), deferred };
}

/** Finds for each task the first file that it shares with a task of `busy`, and that task. */
export function findSharedFiles(files: FilesByTask, busy: FilesByTask): Map<TaskId, { file: string; taskId: TaskId }> {
  const index = createPathIndex([...busy.values(), ...files.values()].flat(), () => [] as TaskId[]);
  for (const [id, paths] of busy) for (const path of paths) index.get(path).value.push(id);
  const shared = new Map<TaskId, { file: string; taskId: TaskId }>();
  for (const [id, paths] of files)
    for (const { path, value, overlaps } of paths.map(index.get)) {
      const hit = [{ path, value }, ...overlaps].find((entry) => entry.value.some((other) => other !== id));
      if (!hit || shared.has(id)) continue;
      const file = isBroader(hit.path, path) ? path : hit.path;
      shared.set(id, { file: file || '.', taskId: hit.value.find((other) => other !== id)! });
    }
  return shared;
}

/** Lists the other tasks of a task's conflicts, in the order of the conflicts; at most ten, because a file may belong to a thousand. */
export function listConflictingTasks(conflicts: FileConflict[]): Map<TaskId, TaskId[]> {
  const byTask = new Map<TaskId, TaskId[]>();
  for (const { tasks } of conflicts)
    for (const id of tasks) {
      const others = byTask.get(id) ?? [];
      for (const other of tasks.slice(0, maxListed + 1))
        if (other !== id && others.length < maxListed && !others.includes(other)) others.push(other);
      byTask.set(id, others);
    }
  return byTask;
}

const maxListed = 10;

export function groupFilesByTask(files: { path: string; taskId: TaskId }[]): FilesByTask {
  const byTask = new Map<TaskId, string[]>();
  for (const { path, taskId } of files) addToList(byTask, taskId, path);
  return byTask;
}
