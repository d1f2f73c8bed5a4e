import { basename, dirname, join, relative } from 'node:path';
import type { JobContext } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Task } from '#tasks/model/task.ts';
import type { ForeignTask } from '../../model/foreign.ts';
import { readBacklog } from '../../rules/backlog.ts';
import type { ExportedFile } from '../../rules/export/backlog.ts';
import { formatBacklogSettings, listExportIds } from '../../rules/export/formats.ts';
import { isEarlier } from '../../rules/source-values.ts';

interface FolderExport {
  /** Returns the path of a file in the project; throws if it is outside. */
  resolve(name: string): string;
  /** The folder as the caller named it. */
  output: string;
  tasks: Task[];
  content: ExportedFile[];
  /** Overwrites files that were not written by an earlier export. */
  replace: boolean;
}

const taskFolders = ['tasks', 'completed', 'archive/tasks'];

/** Writes the files of Backlog.md. Files of other tasks stay; the file of an exported task is replaced, unless it was changed since or
 *  belongs to another task with the same id. Throws before anything is written. */
export function writeBacklogFolder(ctx: Pick<JobContext, 'platform' | 'project' | 'commandWith'>, given: FolderExport): void {
  const { files } = ctx.platform;
  const { resolve, output, tasks, content, replace } = given;
  const settings = resolve(join(output, 'config.yml'));
  const path = dirname(settings);
  for (const folder of taskFolders) resolve(join(output, folder, 'task.md'));
  const existing = taskFolders.flatMap((folder) => files.find(join(path, folder), '.md'));
  const ids = listExportIds('backlog', tasks);
  const byId = new Map(tasks.map((task) => [ids.get(task.id)!, task]));
  const own: string[] = [];
  const foreign: string[] = [];
  for (const file of existing) {
    const name = relative(path, file).replaceAll('\\', '/');
    const record = readRecord(name, files.readText(file) ?? '');
    const task = record && byId.get(record.id);
    if (!record || !task) continue;
    if (isExportOf(record, task)) own.push(file);
    else foreign.push(name);
    if (replace) own.push(file);
  }
  if (foreign.length > 0 && !replace) {
    const error = new CleoError('E_FILE_ERROR', {
      path: output,
      problem: `${foreign.length} of its task files changed since the last export or belong to other tasks: ${foreign.slice(0, 3).join(', ')}`,
      fix: `cleo import --from backlog ${quote(output)}`,
      manual: 'Import these files first, or export to another folder',
    });
    error.alternatives.push({ action: 'Overwrite them', command: ctx.commandWith({ replace: true }) });
    throw error;
  }
  const written = new Set<string>();
  for (const { name, text } of content) {
    const target = resolve(join(output, name));
    written.add(target);
    if (files.readText(target) === text) continue;
    files.createFolder(dirname(target));
    files.writeAtomic(target, text);
  }
  // A task with a new title or folder has a new file.
  for (const file of new Set(own)) if (!written.has(file)) files.remove(file);
  const hasSettings = ['config.yml', 'config.yaml', 'backlog.config.yml'].some((name) => files.exists(join(path, name)));
  if (!hasSettings) files.writeAtomic(settings, formatBacklogSettings(basename(ctx.project.root), tasks));
}

function readRecord(name: string, text: string): ForeignTask | undefined {
  try {
    return readBacklog([{ name, text }]).tasks[0];
  } catch (error) {
    if (error instanceof CleoError) return undefined;
    throw error;
  }
}

/** The file of a task here is not newer than the task. */
const isExportOf = (record: ForeignTask, task: Task): boolean => {
  const isSame =
    record.uid === undefined
      ? task.aliases?.some(({ tool, id }) => /^backlog(?::|$)/.test(tool) && id === record.id)
      : record.uid === task.uid;
  return isSame === true && !(record.updatedAt !== undefined && isEarlier(task.updatedAt, record.updatedAt));
};
