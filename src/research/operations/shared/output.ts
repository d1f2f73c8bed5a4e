import { basename, dirname } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port.ts';
import type { ReadEntry } from '../../model/manifest.ts';
import { type Output, readOutput } from '../../rules/output-file.ts';

/** The output file of an entry; undefined where there is none, or none that belongs to the project. */
export async function outputOf(
  { files }: Platform,
  { root }: Project,
  { file }: ReadEntry,
): Promise<{ output: Output; writtenAt: number } | undefined> {
  const { inProject } = await import('#platform/shared-file.ts');
  try {
    const { path } = inProject(root, file, 'cleo research list');
    const text = files.isFolder(path) ? undefined : files.readText(path);
    const found = files.list(dirname(path)).find(({ name }) => name === basename(path));
    return text === undefined || !found ? undefined : { output: readOutput(text), writtenAt: Date.parse(found.changedAt) };
  } catch (error) {
    if (error instanceof CleoError && error.row === 'E_FILE_ERROR') return undefined;
    throw error;
  }
}

/** The epic that a task is in, or is. */
export async function epicAbove(store: ReadStore, taskId: TaskId): Promise<TaskId | undefined> {
  return (await store.tasks.ancestry(taskId)).find(({ type }) => type === 'epic')?.id;
}
