import type { JobContext } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Task } from '#tasks/model/task.ts';
import type { ImportTool } from '../../rules/detect-tool.ts';
import { listExportIds } from '../../rules/export/formats.ts';
import { isEarlier } from '../../rules/source-values.ts';
import { loadReader } from './import-readers.ts';

/** Rejects an export over a file with records that the export would lose: they are not tasks here, or changed since the last export. */
export async function checkOverwrite(
  { platform, commandWith }: Pick<JobContext, 'platform' | 'commandWith'>,
  { tool, path, output, tasks }: { tool: ImportTool; path: string; output: string; tasks: Task[] },
): Promise<void> {
  const text = platform.files.readText(path);
  if (text === undefined || text.trim() === '') return;
  const lost = await findLostRecords(tool, text, tasks);
  if (lost?.length === 0) return;
  const error = new CleoError('E_FILE_ERROR', {
    path: output,
    problem: lost
      ? `${lost.length} of its records changed since the last export or are not tasks here: ${lost.slice(0, 3).join(', ')}`
      : `it exists and is not a file of ${tool}`,
    ...(lost ? { fix: `cleo import --from ${tool} ${quote(output)}` } : { fix: 'cleo help export' }),
    manual: lost ? 'Import these records first, or export to another file' : 'Export to another file',
  });
  error.alternatives.push({ action: 'Overwrite it', command: commandWith({ replace: true }) });
  throw error;
}

/** Returns undefined if the tool did not write the text. */
async function findLostRecords(tool: ImportTool, text: string, tasks: Task[]): Promise<string[] | undefined> {
  const ids = listExportIds(tool, tasks);
  const byId = new Map(tasks.map((task) => [ids.get(task.id)!, task]));
  const byUid = new Map(tasks.map((task) => [task.uid, task]));
  const lost: string[] = [];
  try {
    const read = await loadReader[tool]();
    for (const { id, uid, updatedAt } of read([{ name: '', text }]).tasks) {
      const task = (uid === undefined ? undefined : byUid.get(uid)) ?? byId.get(id);
      if (!task || (updatedAt !== undefined && isEarlier(task.updatedAt, updatedAt))) lost.push(id);
    }
    return lost;
  } catch (error) {
    if (error instanceof CleoError) return undefined;
    throw error;
  }
}
