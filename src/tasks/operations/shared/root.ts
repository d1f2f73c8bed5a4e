import { description, optional, pipe } from 'valibot';
import { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import { notFound } from './require.ts';

/** The part of the project that a question is about. */
export const Root = optional(pipe(TaskId, description('Only inside this saga, epic or task')));
export const rootNames = { epicId: 'epic', sagaId: 'epic' };

export async function checkRoot(store: ReadStore, root: TaskId | undefined): Promise<void> {
  if (root && !(await store.tasks.exists(root))) throw await notFound(store, root);
}
