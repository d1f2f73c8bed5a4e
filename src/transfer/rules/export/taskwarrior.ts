import { decodeUid, toUid } from '#core/rules/uid.ts';
import { defined } from '#lib/collections.ts';
import { slugify } from '#lib/slug.ts';
import type { Task } from '#tasks/model/task.ts';
import { toolWords } from '../vocabulary.ts';
import {
  type ExportContext,
  type ExportedIdentity,
  type ExportIds,
  findForeignIds,
  flattenText,
  formatCheckbox,
  listCriteria,
} from './context.ts';

const words = toolWords.taskwarrior;

/** Fields of tasks that neither Taskwarrior nor an attribute of our own holds. */
export const taskwarriorLosses = ['size', 'phase', 'files', 'requires', 'relations', 'archivedAt'] as const satisfies (keyof Task)[];

/** An epic that the reader made from a project is not a task in Taskwarrior: its id is the name of the project. */
const projectPrefix = 'project:';

export function listTaskwarriorIds(tasks: readonly ExportedIdentity[]): ExportIds {
  const ids = findForeignIds('taskwarrior', tasks);
  const foreign = new Set(ids.keys());
  for (const { id, uid } of tasks) if (!ids.has(id)) ids.set(id, toUuid(uid));
  return { ids, foreign };
}

/** Builds a UUID (version 8) from a uid, from which the uid can be read again. */
export function toUuid(uid: string): string {
  const { time, hex } = decodeUid(uid);
  const at = time.toString(16).padStart(12, '0');
  return `${at.slice(0, 8)}-${at.slice(8)}-8${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6)}000000`;
}

export function parseUuid(uuid: string): string | undefined {
  const [, head, mid, first, second, third] =
    /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{6})000000$/.exec(uuid) ?? [];
  if (head === undefined) return undefined;
  return toUid(new Date(Number.parseInt(`${head}${mid}`, 16)).toISOString(), `${first}${second}${third}`);
}

/** Formats a JSON list as `task export` writes it. Fields that Taskwarrior does not have are attributes of their own, which it keeps. */
export function formatTaskwarrior(tasks: Task[], context: ExportContext): string {
  const records = tasks.flatMap((task) => {
    const isProject = context.getId(task.id)!.startsWith(projectPrefix);
    if (isProject && !context.hasChildren(task.id)) context.reportLoss(task, 'task');
    return isProject ? [] : [JSON.stringify(toRecord(task, context, findProject(task, context)))];
  });
  return `[\n${records.join(',\n')}${records.length > 0 ? '\n' : ''}]\n`;
}

/** Names the project of a task: the one that it had in Taskwarrior, else one for its epic. */
function findProject(task: Task, { getId, getTitle }: ExportContext): string | undefined {
  const label = task.labels?.find((one) => one.startsWith(projectPrefix));
  const epicId = task.type === 'epic' ? task.id : task.epicId;
  const epicName = epicId && getId(epicId);
  if (epicName?.startsWith(projectPrefix)) {
    const name = epicName.slice(projectPrefix.length);
    const full = label?.slice(projectPrefix.length);
    return full?.startsWith(`${name.toLowerCase()}.`) ? full : name;
  }
  return epicId && epicName ? toProject(getTitle(epicId)) : undefined;
}

/** A name that can be typed as `project:name`. A dot would make a project inside another one. */
const toProject = (title: string): string => slugify(title, { maxLength: 60 }) || flattenText(title).replace(/[\s."'\\()]+/g, '-');

function toRecord(task: Task, { getId }: ExportContext, project: string | undefined): Record<string, unknown> {
  const parent = task.parentId && getId(task.parentId);
  const isDone = task.status === 'done';
  const labels = (task.labels ?? []).filter((label) => label !== `${projectPrefix}${project}`);
  const tags = labels.map(toTag);
  const criteria = listCriteria(task).map(formatCheckbox);
  const until = task.status === 'blocked' ? /^Waiting until (\d{4}-\d\d-\d\d)$/.exec(task.blockedBy ?? '')?.[1] : undefined;
  const depends = (task.depends ?? []).flatMap((on) => {
    const id = getId(on);
    return id === undefined || id.startsWith(projectPrefix) ? [] : [id];
  });
  return defined({
    uuid: getId(task.id),
    description: flattenText(task.title),
    status: isDone ? words.statuses.done : until ? 'waiting' : words.statuses.pending,
    entry: toStamp(task.createdAt),
    modified: toStamp(task.updatedAt),
    start: task.startedAt && (task.status === 'active' || isDone) ? toStamp(task.startedAt) : undefined,
    end: task.completedAt && isDone ? toStamp(task.completedAt) : undefined,
    wait: until && toStamp(`${until}T00:00:00.000Z`),
    due: task.due && toStamp(`${task.due}T00:00:00.000Z`),
    priority: words.priorities[task.priority],
    project,
    tags: tags.length > 0 ? tags : undefined,
    depends: depends.length > 0 ? depends : undefined,
    annotations:
      task.notes && task.notes.length > 0 ? task.notes.map(({ at, text }) => ({ entry: toStamp(at), description: text })) : undefined,
    assignee: task.assignee,
    cleo_type: task.type === 'epic' || task.type === 'saga' ? task.type : undefined,
    cleo_parent: parent && !parent.startsWith(projectPrefix) ? parent : undefined,
    cleo_priority: task.priority === 'critical' ? task.priority : undefined,
    cleo_labels: labels.some((label) => toTag(label) !== label) ? labels.join(',') : undefined,
    cleo_blocked: task.status === 'blocked' && !until ? (task.blockedBy ?? 'blocked') : undefined,
    cleo_resolution: isDone && task.resolution !== 'done' ? task.resolution : undefined,
    cleo_description: task.description,
    cleo_criteria: criteria.length > 0 ? criteria.join('\n') : undefined,
  });
}

/** Taskwarrior stores an attribute instead of a tag if the tag contains a colon. */
export const toTag = (label: string): string => label.replaceAll(':', '_');

/** `20260131T120000Z`. */
const toStamp = (at: string): string => `${at.slice(0, 19).replace(/[-:]/g, '')}Z`;
