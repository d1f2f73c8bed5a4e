import { join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { QueryContext } from '#core/define.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { entryIdFor, outputFolder } from '../../rules/manifest.ts';

/** The refusal (62) whose fix appends the line, for the newest file in the output folder of the task. */
export async function missingEntry(ctx: QueryContext, taskId: TaskId, more: Record<string, unknown> = {}): Promise<CleoError> {
  const task = await requireTask(ctx.store, taskId);
  return new CleoError('E_MANIFEST_ENTRY_MISSING', { taskId, fix: addCommand(ctx, task, more.protocol), ...more });
}

function addCommand({ platform, project, config }: QueryContext, { id, title, status }: TaskRecord, protocol: unknown): string {
  const folder = outputFolder(config, id);
  const [newest] = platform.files
    .list(join(project.root, folder))
    .filter(({ name }) => name.endsWith('.md'))
    .sort((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
  const file = `${folder}/${newest?.name ?? `${entryIdFor(id, title).slice(id.length + 1)}.md`}`;
  const state = status === 'done' ? ['complete'] : ['partial', '--needs-followup', 'What is left to do'];
  const type = typeof protocol === 'string' ? ['--agent-type', protocol] : [];
  return commandLine(['cleo', 'research', 'add', '--file', file, '--title', title, '--status', ...state, ...type, '--linked-tasks', id]);
}
