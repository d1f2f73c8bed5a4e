import { array, boolean, description, optional, picklist, pipe, strictObject } from 'valibot';
import type { Shortcut } from '#core/cli-definition.ts';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import type { Page } from '#store/port/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskFilter } from '#store/port/tasks.ts';
import { type TaskRecord, TaskRowSchema } from '../model/task.ts';
import { toTaskRow } from '../rules/view.ts';
import { resolveTaskFilter, taskFilterParams } from './shared/filter.ts';

/** `children T001` lists the tasks in it. */
const childrenOf: Shortcut = { args: ['parent'], paramAliases: { taskId: 'parent', id: 'parent' } };

export const tasksList = query({
  name: 'tasks.list',
  summary: 'List tasks with description, labels, depends and notes',
  params: strictObject({
    ...taskFilterParams,
    all: optional(pipe(boolean(), description('Include archived tasks'))),
    sort: optional(
      pipe(
        picklist(['id', 'open', 'priority', 'status', 'updated']),
        description('Order: by id (default), open first (default on a terminal), by priority, active first, or last changed first'),
      ),
      'id',
    ),
    ...pageParams(50),
  }),
  synonyms: ['ls'],
  shortcuts: {
    children: childrenOf,
    subtasks: childrenOf,
    'get-children': childrenOf,
    'get-subtasks': childrenOf,
    blocked: { args: [], params: { status: ['blocked'] } },
    mine: { args: [], params: { assignee: 'me' } },
  },
  result: strictObject({ tasks: array(TaskRowSchema) }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: 'list', terminalParams: { sort: 'open' }, search: { command: 'find', params: Object.keys(taskFilterParams) } },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T001 done'], call: { parent: 'T001', status: ['pending'] } },
  async run(ctx, { all, sort, limit, offset, budget, ...filterParams }) {
    const { store } = ctx;
    const page = { limit, offset, budget };
    const filter: TaskFilter = { ...(await resolveTaskFilter(ctx, filterParams)), ...(all ? { archived: 'both' } : {}) };
    const tasks = await (sort === 'open' ? listOpenFirst(store, filter, page) : store.tasks.list(filter, sort, page));
    const notes = await store.tasks.getNotes(tasks.map((task) => task.id));
    return answerPage({ tasks: tasks.map((task) => toTaskRow(task, notes.get(task.id) ?? [])) }, tasks.length, page, (atMost) =>
      store.tasks.count(filter, atMost),
    );
  },
});

/** Lists open tasks before done ones, each by id. Two reads by index are faster than sorting all tasks. */
async function listOpenFirst(store: ReadStore, filter: TaskFilter, { limit, offset }: Page): Promise<TaskRecord[]> {
  const open = await store.tasks.list({ ...filter, open: true }, 'id', { limit, offset });
  if (open.length === limit || filter.open) return open;
  const openCount = open.length > 0 || offset === 0 ? offset + open.length : await store.tasks.count({ ...filter, open: true }, offset);
  const done = await store.tasks.list({ ...filter, isDone: true }, 'id', {
    limit: limit - open.length,
    offset: Math.max(0, offset - openCount),
  });
  return [...open, ...done];
}
