import type { TaskId } from '#core/model/scalars.ts';
import type { Task } from '#tasks/model/task.ts';
import { encodeValue, escapeTodoWord, hashTodoLine } from '../todo-words.ts';
import { toolWords } from '../vocabulary.ts';
import { type ExportContext, type ExportedIdentity, type ExportIds, findForeignIds, flattenText } from './context.ts';

const words = toolWords['todo.txt'];

/** Fields of tasks that a line of todo.txt cannot contain. */
export const todoLosses = [
  'description',
  'notes',
  'acceptance',
  'blockedBy',
  'size',
  'phase',
  'files',
  'requires',
  'relations',
  'archivedAt',
] as const satisfies (keyof Task)[];

/** Ids are `id:…`, as the reader returns them. A line without an id is recognized by the hash of its words, unless they changed or another
 *  line refers to it. */
export function listTodoIds(tasks: readonly ExportedIdentity[]): ExportIds {
  const linked = new Set(tasks.flatMap(({ parentId, depends = [] }) => [...(parentId ? [parentId] : []), ...depends]));
  const isUsable = (alias: string, { id, createdAt, title }: ExportedIdentity): boolean =>
    alias.startsWith('id:') || (!linked.has(id) && hashTodoLine(createdAt.slice(0, 10), flattenText(title)) === alias);
  const ids = findForeignIds('todo.txt', tasks, isUsable);
  const foreign = new Set(ids.keys());
  for (const { id, uid } of tasks) if (!ids.has(id)) ids.set(id, `id:${uid}`);
  return { ids, foreign };
}

/** Formats one line per task. Fields that todo.txt does not have are written as `key:value`. */
export const formatTodoTxt = (tasks: Task[], context: ExportContext): string =>
  tasks.map((task) => `${formatLine(task, context)}\n`).join('');

function formatLine(task: Task, { getId }: ExportContext): string {
  const isDone = task.status === 'done';
  const letter = words.priorities[task.priority];
  const created = task.createdAt.slice(0, 10);
  const labels = task.labels ?? [];
  const pick = (kind: string): string[] =>
    labels.flatMap((label) => (label.startsWith(kind) && label.length > kind.length ? [label.slice(kind.length)] : []));
  const others = labels.filter((label) => !/^(?:project|context):./.test(label));
  const title = flattenText(task.title).split(' ').map(escapeTodoWord).join(' ');
  const refer = (id: TaskId | undefined): string[] => {
    const foreign = id === undefined ? undefined : getId(id);
    return foreign?.startsWith('id:') ? [foreign.slice('id:'.length)] : [];
  };
  const depends = (task.depends ?? []).flatMap(refer);
  const [parent] = refer(task.parentId);
  return [
    isDone ? 'x' : `(${letter})`,
    isDone ? (task.completedAt ?? task.updatedAt).slice(0, 10) : '',
    created,
    title,
    ...pick('project:').map((name) => `+${name}`),
    ...pick('context:').map((name) => `@${name}`),
    isDone ? `pri:${letter}` : '',
    task.due ? `due:${task.due}` : '',
    task.status === 'active' || task.status === 'blocked' ? `status:${words.statuses[task.status]}` : '',
    isDone && task.resolution && task.resolution !== 'done' ? `resolution:${words.resolutions[task.resolution]}` : '',
    task.type === 'epic' || task.type === 'saga' ? `type:${task.type}` : '',
    task.assignee ? `assignee:${encodeValue(task.assignee)}` : '',
    others.length > 0 ? `label:${others.map(encodeValue).join(',')}` : '',
    parent ? `p:${parent}` : '',
    depends.length > 0 ? `dep:${depends.join(',')}` : '',
    ...refer(task.id).map((id) => `id:${id}`),
  ]
    .filter(Boolean)
    .join(' ');
}
