import '../../errors.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import { farEnd, unmet } from '../../rules/nexus-wait.ts';

/** Refuses (6) to start what waits for tasks of other projects, as far as the last sync knows. */
export async function checkFarDepends(store: ReadStore, taskId: TaskId): Promise<void> {
  const open = unmet(await store.nexus.of(taskId)).map(farEnd);
  if (open.length > 0) throw new CleoError('E_NEXUS_WAITING', { taskId, open });
}
