import type { TaskId } from '#core/model/scalars.ts';
import { addToList, defined } from '#lib/collections.ts';
import type { Task } from '#tasks/model/task.ts';
import { joinParagraphs } from '../source-values.ts';
import { toolWords } from '../vocabulary.ts';
import {
  addNumbers,
  type ExportContext,
  type ExportedIdentity,
  type ExportIds,
  findForeignIds,
  flattenText,
  formatCheckbox,
  listCriteria,
} from './context.ts';

const words = toolWords.taskmaster;

/** Fields of tasks that entries of Task Master do not have. */
export const taskmasterLosses = ['size', 'phase', 'files', 'requires', 'relations', 'archivedAt'] as const satisfies (keyof Task)[];

const topLevel = /^(?:(.+):)?(\d{1,9})$/;
const subtask = /^((?:.+:)?\d{1,9})\.(\d{1,9})$/;

/** Task Master has two levels: a task without children is a subtask of its parent, every other task an entry of the list. Numbers are
 *  those of the tool, else those of the tasks here. */
export function listTaskmasterIds(tasks: readonly ExportedIdentity[]): ExportIds {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const parents = new Set(tasks.flatMap(({ parentId }) => parentId ?? []));
  const isSubtask = ({ id, parentId }: ExportedIdentity): boolean => parentId !== undefined && byId.has(parentId) && !parents.has(id);
  const entries = tasks.filter((task) => !isSubtask(task));
  const foreignEntries = findForeignIds('taskmaster', entries, (id) => topLevel.test(id));
  const ids = new Map(foreignEntries);
  const numbers = new Map([...foreignEntries].flatMap(([id, name]) => (name.includes(':') ? [] : [[id, Number(name)] as const])));
  addNumbers(
    entries.filter(({ id }) => !ids.has(id)),
    numbers,
  );
  for (const { id } of entries) if (!ids.has(id)) ids.set(id, String(numbers.get(id)));
  const foreign = new Set(foreignEntries.keys());
  const families = new Map<TaskId, ExportedIdentity[]>();
  for (const task of tasks) if (isSubtask(task)) addToList(families, task.parentId!, task);
  for (const [parentId, children] of families) {
    const parent = ids.get(parentId)!;
    const known = findForeignIds('taskmaster', children, (id) => subtask.exec(id)?.[1] === parent);
    // In a subtask, a plain number below 100 means a sibling, so that no sibling may have the number of another dependency.
    const avoided = children.flatMap(({ depends = [] }) => depends.flatMap((on) => Number(ids.get(on) ?? Number.NaN) || []));
    const used = new Set([...avoided, ...[...known.values()].map((id) => Number(subtask.exec(id)![2]))]);
    let next = 1;
    for (const { id } of children) {
      while (!known.has(id) && used.has(next)) next += 1;
      if (known.has(id)) foreign.add(id);
      else used.add(next);
      ids.set(id, known.get(id) ?? `${parent}.${next}`);
    }
  }
  return { ids, foreign };
}

/** Formats `tasks.json`, with one list per tag. */
export function formatTaskmaster(tasks: Task[], context: ExportContext): string {
  const subtasks = new Map<string, Task[]>();
  const lists = new Map<string, Task[]>([['master', []]]);
  for (const task of tasks) {
    const id = context.getId(task.id)!;
    const parent = subtask.exec(id)?.[1];
    if (parent) addToList(subtasks, parent, task);
    else addToList(lists, topLevel.exec(id)?.[1] ?? 'master', task);
  }
  const root = [...lists].map(([tag, list]) => {
    const entries = list.map((task) => {
      const inside = (subtasks.get(context.getId(task.id)!) ?? []).map((child) => toEntry(child, context));
      return { ...toEntry(task, context), subtasks: inside.sort((a, b) => Number(a.id) - Number(b.id)) };
    });
    return [tag, { tasks: entries, metadata: toMetadata(tag, list) }];
  });
  return `${JSON.stringify(Object.fromEntries(root), null, 2)}\n`;
}

const toMetadata = (tag: string, list: Task[]): Record<string, unknown> => ({
  version: '1.0.0',
  lastModified: list.reduce((last, { updatedAt }) => (updatedAt > last ? updatedAt : last), ''),
  taskCount: list.length,
  completedCount: list.filter(({ status }) => status === 'done').length,
  tags: [tag],
});

function toEntry(task: Task, { getId, isForeign, reportLoss }: ExportContext): Record<string, unknown> {
  const id = getId(task.id)!;
  const [, parentId, number] = subtask.exec(id) ?? [];
  const tag = /^(.+):/.exec(id)?.[1];
  const isDone = task.status === 'done';
  const resolution = isDone && task.resolution && task.resolution !== 'done' ? task.resolution : undefined;
  const [description = '', details = ''] = splitDetails(task.description ?? '');
  const notes = (task.notes ?? []).map(({ at, by, text }) => `${at} ${by}:\n${text}`);
  const labels = (task.labels ?? []).filter((label) => label !== tag);
  const dependencies = (task.depends ?? []).flatMap((on) => {
    const name = getId(on);
    const isSameTag = name !== undefined && /^(.+):/.exec(name)?.[1] === tag;
    if (name !== undefined && !isSameTag) reportLoss(task, 'depends');
    return isSameTag ? [tag === undefined ? name : name.slice(tag.length + 1)] : [];
  });
  // Task Master keeps `metadata` as it is.
  const hidden = defined({
    uid: isForeign(task.id) ? undefined : task.uid,
    type: task.type === 'epic' || task.type === 'saga' ? task.type : undefined,
    parent: parentId === undefined && task.parentId !== undefined ? getId(task.parentId) : undefined,
    blockedBy: task.status === 'blocked' ? task.blockedBy : undefined,
    resolution: resolution === 'cancelled' ? undefined : resolution,
  });
  return {
    id: Number(number ?? topLevel.exec(id)?.[2]),
    ...(parentId === undefined ? {} : { parentId }),
    title: flattenText(task.title),
    // Task Master refuses a list with an empty description.
    description: description || flattenText(task.title) || id,
    details: joinParagraphs(details, notes.length > 0 ? `## Notes\n\n${notes.join('\n\n')}` : ''),
    testStrategy: formatStrategy(task),
    status: resolution ? words.resolutions[resolution] : words.statuses[task.status],
    priority: words.priorities[task.priority],
    dependencies,
    ...defined({
      assignee: task.assignee,
      dueDate: task.due,
      labels: labels.length > 0 ? labels : undefined,
      createdAt: task.createdAt,
      updatedAt: task.updatedAt,
      completedAt: isDone ? task.completedAt : undefined,
      ...(Object.keys(hidden).length > 0 ? { metadata: { cleo: hidden } } : {}),
    }),
  };
}

/** The reader joins both texts with this heading. */
const splitDetails = (description: string): string[] => {
  const at = description.search(/(?:^|\n\n)## Details\n\n/);
  return at < 0 ? [description] : [description.slice(0, at), description.slice(at).replace(/^\s*## Details\n\n/, '')];
};

/** One criterion is the strategy itself if its state follows from that of the task; several are a list with boxes. */
function formatStrategy(task: Task): string {
  const criteria = listCriteria(task);
  const [only] = criteria;
  const isPlain = criteria.length === 1 && only!.met === (task.status === 'done' && (task.resolution ?? 'done') === 'done');
  return isPlain ? only!.text : criteria.map(formatCheckbox).join('\n');
}
