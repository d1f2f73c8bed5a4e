import '../../errors.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import { formatRemoteEnd, listUnmet } from '../../rules/nexus-wait.ts';

/** Throws E_NEXUS_WAITING if the task depends on tasks of other projects that were open at the last sync. */
export async function checkRemoteDepends(store: ReadStore, taskId: TaskId): Promise<void> {
  const open = listUnmet(await store.nexus.listForTask(taskId)).map(formatRemoteEnd);
  if (open.length > 0) throw new CleoError('E_NEXUS_WAITING', { taskId, open });
}
