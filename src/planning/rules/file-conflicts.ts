import type { TaskId } from '#core/model/scalars.ts';

export interface FileConflict {
  /** From 1. */
  wave: number;
  file: string;
  /** In the order of the wave. */
  tasks: TaskId[];
}

/** Tasks of one wave that say they touch the same file: they wait for nobody, but not for each other's edits either. */
export function fileConflicts(waves: TaskId[][], files: { path: string; taskId: TaskId }[]): FileConflict[] {
  const pathsOf = new Map<TaskId, string[]>();
  for (const { path, taskId } of files) {
    const paths = pathsOf.get(taskId);
    if (paths) paths.push(path);
    else pathsOf.set(taskId, [path]);
  }
  return waves.flatMap((wave, n) => {
    const touching = new Map<string, TaskId[]>();
    for (const id of wave)
      for (const path of pathsOf.get(id) ?? []) {
        const tasks = touching.get(path);
        if (tasks) tasks.push(id);
        else touching.set(path, [id]);
      }
    return [...touching]
      .filter(([, tasks]) => tasks.length > 1)
      .map(([file, tasks]) => ({ wave: n + 1, file, tasks }))
      .sort((a, b) => (a.file < b.file ? -1 : 1));
  });
}
