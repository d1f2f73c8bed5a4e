import { boolean, description, optional, pipe } from 'valibot';
import { Label, Priority, Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { ReadStore, TaskFilter } from '#store/port.ts';
import { notFound } from './require.ts';

/** The filters that `find` and `list` share. */
export const filterParams = {
  parent: optional(pipe(TaskId, description('Only its direct children'))),
  status: optional(pipe(Status, description('Only tasks in this state'))),
  type: optional(pipe(TaskType, description('Only this tier'))),
  label: optional(pipe(Label, description('Only tasks with this label'))),
  priority: optional(pipe(Priority, description('Only this priority'))),
  archived: optional(pipe(boolean(), description('Only archived tasks'))),
};

type Given = { [K in Exclude<keyof TaskFilter, 'archived'>]?: TaskFilter[K] | undefined } & { archived?: boolean | undefined };

/** The filter that was given; a parent that does not exist is refused rather than answered with nothing. */
export async function filterOf(store: ReadStore, { archived, ...given }: Given): Promise<TaskFilter> {
  if (given.parent && !(await store.tasks.exists(given.parent))) throw await notFound(store, given.parent);
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...filter, ...(archived ? { archived: 'only' as const } : {}) };
}
