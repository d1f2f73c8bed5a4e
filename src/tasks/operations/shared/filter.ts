import { boolean, description, optional, pipe } from 'valibot';
import { Label, PrioritySchema, StatusSchema, TaskIdSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskFilter } from '#store/port/tasks.ts';
import { checkTaskExists } from './require.ts';

/** The filters that `find` and `list` share. */
export const taskFilterParams = {
  parent: optional(pipe(TaskIdSchema, description('Only direct children of this task'))),
  status: optional(pipe(StatusSchema, description('Only tasks with this status'))),
  open: optional(pipe(boolean(), description('Only tasks that are not done'))),
  type: optional(pipe(TaskTypeSchema, description('Only this tier'))),
  label: optional(pipe(Label, description('Only tasks with this label'))),
  priority: optional(pipe(PrioritySchema, description('Only this priority'))),
  archived: optional(pipe(boolean(), description('Only archived tasks'))),
};

type TaskFilterParams = { [K in Exclude<keyof TaskFilter, 'archived'>]?: TaskFilter[K] | undefined } & { archived?: boolean | undefined };

/** Builds the store filter. A missing parent is an error, not an empty result. */
export async function resolveTaskFilter(store: ReadStore, { archived, ...filter }: TaskFilterParams): Promise<TaskFilter> {
  await checkTaskExists(store, filter.parent);
  return { ...defined(filter), ...(archived ? { archived: 'only' as const } : {}) };
}
