import { basename, dirname } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { ParsedEntry } from '../../model/manifest.ts';
import { type OutputFile, parseOutput } from '../../rules/output-file.ts';

/** Reads the output file of an entry; undefined if it is missing or outside the project. */
export async function readOutputFile(
  { files }: Platform,
  { root }: Project,
  { file }: ParsedEntry,
): Promise<{ output: OutputFile; writtenAt: number } | undefined> {
  const { resolveInProject } = await import('#platform/shared-file.ts');
  try {
    const { path } = resolveInProject(root, file, 'cleo research list');
    const text = files.isFolder(path) ? undefined : files.readText(path);
    const stat = files.list(dirname(path)).find(({ name }) => name === basename(path));
    return text === undefined || !stat ? undefined : { output: parseOutput(text), writtenAt: Date.parse(stat.changedAt) };
  } catch (error) {
    if (error instanceof CleoError && error.row === 'E_FILE_ERROR') return undefined;
    throw error;
  }
}

/** Finds the epic that contains a task; an epic contains itself. */
export async function findEpicId(store: ReadStore, taskId: TaskId): Promise<TaskId | undefined> {
  return (await store.tasks.getAncestry(taskId)).find(({ type }) => type === 'epic')?.id;
}
