import { basename, dirname, join } from 'node:path';
import type { QueryContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { observation } from '#core/observation.ts';
import { defined } from '#lib/collections.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import '../../errors.ts';
import { object, optional, picklist, string } from 'valibot';
import type { ParsedEntry } from '../../model/manifest.ts';
import { createEntryId, getOutputFolder } from '../../rules/manifest.ts';
import { type OutputFile, parseOutput } from '../../rules/output-file.ts';

/** The state of an output file in the checkout of the caller. */
export const outputState = observation({
  name: 'checkout.output',
  request: object({ file: string() }),
  facts: object({ state: picklist(['missing', 'empty', 'present']) }),
  async observe({ platform, project }, { file }) {
    const found = await readOutputFile(platform, project, { file });
    return { state: !found ? ('missing' as const) : found.output.text.trim() === '' ? ('empty' as const) : ('present' as const) };
  },
});

/** The newest output file in a folder of the checkout of the caller. */
export const newestOutput = observation({
  name: 'checkout.newest-output',
  request: object({ folder: string() }),
  facts: object({ name: optional(string()) }),
  async observe({ platform, project }, { folder }) {
    const [newest] = platform.files
      .list(join(project.root, folder))
      .filter(({ name }) => name.endsWith('.md'))
      .sort((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
    return defined({ name: newest?.name });
  },
});

/** Reads the output file of an entry; undefined if it is missing or outside the project. */
export async function readOutputFile(
  { files }: Platform,
  { root }: Project,
  { file }: Pick<ParsedEntry, 'file'>,
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

/** Creates E_MANIFEST_ENTRY_MISSING. Its fix adds an entry for the newest file in the output folder of the task. */
export async function createMissingEntryError(
  ctx: QueryContext,
  taskId: TaskId,
  details: Record<string, unknown> = {},
): Promise<CleoError> {
  const task = await requireTask(ctx.store, taskId);
  return new CleoError('E_MANIFEST_ENTRY_MISSING', { taskId, fix: await formatAddCommand(ctx, task, details.protocol), ...details });
}

async function formatAddCommand({ config, getFacts }: QueryContext, { id, title, status }: TaskRecord, protocol: unknown): Promise<string> {
  const folder = getOutputFolder(config, id);
  const newest = await getFacts(newestOutput, { folder });
  const file = `${folder}/${newest.name ?? `${createEntryId(id, title).slice(id.length + 1)}.md`}`;
  const state = status === 'done' ? ['complete'] : ['partial', '--needs-followup', 'What is left to do'];
  const type = typeof protocol === 'string' ? ['--agent-type', protocol] : [];
  return commandLine(['cleo', 'research', 'add', '--file', file, '--title', title, '--status', ...state, ...type, '--linked-tasks', id]);
}
