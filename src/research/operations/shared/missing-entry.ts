import { join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { QueryContext } from '#core/define.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { createEntryId, getOutputFolder } from '../../rules/manifest.ts';

/** Creates E_MANIFEST_ENTRY_MISSING. Its fix adds an entry for the newest file in the output folder of the task. */
export async function createMissingEntryError(
  ctx: QueryContext,
  taskId: TaskId,
  details: Record<string, unknown> = {},
): Promise<CleoError> {
  const task = await requireTask(ctx.store, taskId);
  return new CleoError('E_MANIFEST_ENTRY_MISSING', { taskId, fix: formatAddCommand(ctx, task, details.protocol), ...details });
}

function formatAddCommand({ platform, project, config }: QueryContext, { id, title, status }: TaskRecord, protocol: unknown): string {
  const folder = getOutputFolder(config, id);
  const [newest] = platform.files
    .list(join(project.root, folder))
    .filter(({ name }) => name.endsWith('.md'))
    .sort((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
  const file = `${folder}/${newest?.name ?? `${createEntryId(id, title).slice(id.length + 1)}.md`}`;
  const state = status === 'done' ? ['complete'] : ['partial', '--needs-followup', 'What is left to do'];
  const type = typeof protocol === 'string' ? ['--agent-type', protocol] : [];
  return commandLine(['cleo', 'research', 'add', '--file', file, '--title', title, '--status', ...state, ...type, '--linked-tasks', id]);
}
