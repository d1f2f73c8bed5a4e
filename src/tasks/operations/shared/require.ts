import { CleoError } from '#core/errors/error.ts';
import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskRecord } from '../../model/task.ts';

/** Returns the task. If it is missing, the error suggests similar ids. */
export async function requireTask(store: ReadStore, id: TaskId): Promise<TaskRecord> {
  const task = await store.tasks.get(id);
  if (task) return task;
  throw await createNotFoundError(store, id);
}

/** Suggests ids with the same prefix, because an extra digit is the most likely typo, or else the next ids. */
export async function createNotFoundError(store: ReadStore, id: TaskId): Promise<CleoError> {
  for (let prefix = String(toTaskNumber(id)); prefix; prefix = prefix.slice(0, -1)) {
    const suggestions = await store.tasks.findByIdPrefix(prefix, {}, { limit: 3, offset: 0 });
    if (suggestions.length > 0) return new CleoError('E_NOT_FOUND', { id, prefix, suggestions: suggestions.map((hit) => hit.id) });
  }
  const suggestions = await store.tasks.findNeighbours(id);
  const [nearest] = suggestions;
  // Without any task there is nothing to list.
  if (nearest === undefined) return new CleoError('E_NOT_FOUND', { id, suggestions, fix: 'cleo help add' });
  const prefix = String(toTaskNumber(nearest));
  const isListed = (await store.tasks.findByIdPrefix(prefix, {}, { limit: 1, offset: 0 })).length > 0;
  // `find` shows an archived task only if asked to.
  return new CleoError('E_NOT_FOUND', { id, suggestions, ...(isListed ? { prefix } : { fix: `cleo find --id ${prefix} --archived` }) });
}

/** The parent is named by its id too. */
export async function createParentNotFoundError(store: ReadStore, parent: TaskId): Promise<CleoError> {
  const { fix } = await createNotFoundError(store, parent);
  return new CleoError('E_PARENT_NOT_FOUND', { parent, fix });
}

export async function checkTaskExists(store: ReadStore, id: TaskId | undefined): Promise<void> {
  if (id && !(await store.tasks.exists(id))) throw await createNotFoundError(store, id);
}
