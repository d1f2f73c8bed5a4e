import type { TaskId } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';

export interface FileConflict {
  file: string;
  /** Tasks that touch the file, in the order they were given. */
  tasks: TaskId[];
}

type FilesByTask = ReadonlyMap<TaskId, string[]>;

/** Finds files that several of these tasks touch, sorted by path, and the tasks to defer: a task waits if it shares a file with an
 *  earlier one that does not wait itself. Paths are compared in normalized form, so `./src/a.ts` and `src/a.ts` are one file. */
export function findFileConflicts(ids: TaskId[], files: FilesByTask): { conflicts: FileConflict[]; deferred: Set<TaskId> } {
  const tasksByFile = new Map<string, TaskId[]>();
  const deferred = new Set<TaskId>();
  for (const id of ids) {
    const paths = new Set(files.get(id)?.map(normalizePath));
    if ([...paths].some((path) => tasksByFile.get(path)?.some((other) => !deferred.has(other)))) deferred.add(id);
    for (const path of paths) addToList(tasksByFile, path, id);
  }
  const conflicts = [...tasksByFile].filter(([, tasks]) => tasks.length > 1).map(([file, tasks]) => ({ file, tasks }));
  return { conflicts: conflicts.sort((a, b) => (a.file < b.file ? -1 : 1)), deferred };
}

export function groupFilesByTask(files: { path: string; taskId: TaskId }[]): FilesByTask {
  const byTask = new Map<TaskId, string[]>();
  for (const { path, taskId } of files) addToList(byTask, taskId, path);
  return byTask;
}

/** Resolves `.`, `..`, repeated slashes and backslashes: `.\a//b/../c` becomes `a/c`. */
function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${/^[/\\]/.test(path) ? '/' : ''}${parts.join('/')}`;
}
