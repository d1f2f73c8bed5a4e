import { array, boolean, description, type InferOutput, maxLength, metadata, optional, pipe, string } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import { MomentSchema } from '#core/model/moment.ts';
import { PrioritySchema, StatusSchema, TaskIdSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { Label } from '#core/model/search-texts.ts';
import { parseAgo } from '#lib/ago.ts';
import { defined } from '#lib/collections.ts';
import type { TaskFilter } from '#store/port/tasks.ts';
import { DueInput } from '../../model/due-input.ts';
import { checkTaskExists } from './require.ts';

/** Signatures leave these filters out; `help list` has them. */
const rare = { isRare: true };

/** The filters that `find` and `list` share. */
export const taskFilterParams = {
  parent: optional(pipe(TaskIdSchema, description('Only direct children of this task'))),
  status: optional(pipe(array(StatusSchema), description('Only tasks with one of these statuses'))),
  open: optional(pipe(boolean(), description('Only tasks that are not done'))),
  type: optional(pipe(array(TaskTypeSchema), description('Only these tiers'))),
  label: optional(pipe(array(Label), description('Only tasks with all of these labels'))),
  priority: optional(pipe(array(PrioritySchema), description('Only these priorities'))),
  assignee: optional(
    pipe(
      string(),
      maxLength(100, 'must have at most 100 characters'),
      description('Only tasks for this agent or person; me: for you; none: for nobody'),
    ),
  ),
  due: optional(
    pipe(DueInput, description('Only tasks due on this day or before, e.g. 2026-01-31, today or 1w; none: without one'), metadata(rare)),
  ),
  since: optional(pipe(MomentSchema, description('Only tasks changed since, e.g. 2026-01-31, or 7d or 12h ago'), metadata(rare))),
  before: optional(pipe(MomentSchema, description('Only tasks last changed before, e.g. 2026-01-31, or 30d ago'), metadata(rare))),
  archived: optional(pipe(boolean(), description('Only archived tasks'), metadata(rare))),
};

type TaskFilterParams = { [K in keyof typeof taskFilterParams]?: InferOutput<(typeof taskFilterParams)[K]> };

/** Builds the store filter. A missing parent is an error, not an empty result. */
export async function resolveTaskFilter(
  ctx: Pick<QueryContext, 'store' | 'now' | 'today' | 'caller' | 'platform' | 'token'>,
  { archived, assignee, due, since, before, status, type, label, priority, ...filter }: TaskFilterParams,
): Promise<TaskFilter> {
  const { store, now } = ctx;
  await checkTaskExists(store, filter.parent);
  // An empty list is a filter that was not filled in.
  const lists = defined({ status, type, label, priority });
  for (const key of Object.keys(lists) as (keyof typeof lists)[]) if (lists[key]?.length === 0) delete lists[key];
  return defined({
    ...filter,
    ...lists,
    assignee: assignee ? await (await import('./assignee.ts')).listAssigneeNames(ctx, assignee) : undefined,
    dueBy: due ? ((await import('../../rules/due.ts')).parseDue(due, ctx.today) ?? 'none') : undefined,
    since: since && parseAgo(now, since),
    before: before && parseAgo(now, before),
    archived: archived ? ('only' as const) : undefined,
  });
}
