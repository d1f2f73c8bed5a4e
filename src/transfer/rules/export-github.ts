import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import type { Task } from '#tasks/model/task.ts';
import {
  type ExportContext,
  type ExportedIdentity,
  type ExportIds,
  findForeignIds,
  formatCheckbox,
  listCriteria,
} from './export/context.ts';
import { formatImportMarker, headings } from './github-body.ts';
import { removeImportedFields } from './github-sync/issue-body.ts';
import { toStateReason } from './github-sync/issue-changes.ts';
import { joinParagraphs } from './source-values.ts';

/** Fields of tasks that issues do not have, nor labels or sections for them. */
export const githubLosses = ['requires', 'relations', 'archivedAt'] as const satisfies (keyof Task)[];

/** Ids are `owner/name#12` for issues of GitHub, and `#5` for a task that is not an issue yet. */
export function listGithubIds(tasks: readonly ExportedIdentity[]): ExportIds {
  const known = findForeignIds('github', tasks, (id) => issueId.test(id));
  const ids = new Map(known);
  for (const { id } of tasks) if (!ids.has(id)) ids.set(id, `#${toTaskNumber(id)}`);
  return { ids, foreign: new Set(known.keys()) };
}

const issueId = /^([\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,15})$/;

const parseId = (id: string): { repository: string; number: number } => {
  const [, repository = '', number] = issueId.exec(id) ?? [];
  return { repository, number: Number(number) };
};

/** Formats issues. Parents and dependencies come first, so that the issues can be created in this order. */
export const formatGithub = (tasks: Task[], context: ExportContext): string =>
  `${JSON.stringify(
    sortByDependencies(tasks).map((task) => toGithubIssue(task, context)),
    null,
    2,
  )}\n`;

/** Builds an issue as `gh issue list --json` writes it. Its number is the number of the task until GitHub assigns one. */
function toGithubIssue(task: Task, { getId, isForeign, hasChildren }: ExportContext) {
  const isDone = task.status === 'done';
  const { repository, number } = parseId(getId(task.id)!);
  const isExported = (id: TaskId): boolean => getId(id) !== undefined;
  const parent = task.parentId && isExported(task.parentId) ? task.parentId : undefined;
  const depends = (task.depends ?? []).filter(isExported);
  // An issue without a repository cannot refer to one with a repository; the comment in the body does.
  const link = (id: TaskId): { number: number }[] => {
    const other = parseId(getId(id)!);
    return other.repository === repository ? [{ number: other.number }] : [];
  };
  const reason = task.labels?.includes('not-planned') ? 'not_planned' : toStateReason(task.resolution);
  const blockers = depends.flatMap(link);
  return {
    number,
    ...(repository ? { url: `https://github.com/${repository}/issues/${number}` } : {}),
    title: task.title,
    body: formatBody(task, parent, depends),
    state: isDone ? 'CLOSED' : 'OPEN',
    stateReason: isDone ? reason.toUpperCase() : '',
    labels: listLabels(task, hasChildren(task.id)).map((name) => ({ name })),
    assignees: task.assignee ? [{ login: task.assignee }] : [],
    author: { login: task.createdBy },
    parent: (parent && link(parent)[0]) ?? null,
    blockedBy: { nodes: blockers, totalCount: blockers.length },
    comments: (task.notes ?? []).map(({ at, by, text }) => ({ author: { login: by }, body: text, createdAt: at })),
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    closedAt: task.completedAt ?? null,
    ...(isForeign(task.id) ? {} : { cleoUid: task.uid }),
  };
}

/** Labels carry the fields that GitHub issues do not have. */
function listLabels(task: Task, isParent: boolean): string[] {
  const needsTypeLabel = task.type === 'epic' || task.type === 'saga' || (isParent && !task.parentId);
  return [
    ...(task.labels ?? []),
    `priority:${task.priority}`,
    ...(needsTypeLabel ? [`type:${task.type}`] : []),
    ...(task.status === 'active' || task.status === 'blocked' ? [`status:${task.status}`] : []),
    ...(task.size ? [`size:${task.size}`] : []),
    ...(task.phase ? [`phase:${task.phase}`.slice(0, 50)] : []),
    ...(task.due ? [`due:${task.due}`] : []),
    ...(task.status === 'done' && task.resolution === 'cancelled' ? [`resolution:${task.resolution}`] : []),
  ].slice(0, 100);
}

/** The body contains no `#` with a task number, because GitHub would link it to another issue. */
function formatBody(task: Task, parent: TaskId | undefined, depends: TaskId[]): string {
  const formatSection = (heading: string, lines: string[]): string => (lines.length > 0 ? [heading, ...lines].join('\n') : '');
  return joinParagraphs(
    removeImportedFields(task.description ?? ''),
    formatSection(headings.criteria, listCriteria(task).map(formatCheckbox)),
    formatSection(headings.blocked, task.blockedBy ? [task.blockedBy] : []),
    formatSection(
      headings.files,
      (task.files ?? []).map((path) => `- \`${path}\``),
    ),
    formatImportMarker(task.id, parent, depends),
  );
}

/** Keeps the order by id, except that parents and dependencies come first. The store rules out cycles among them. */
function sortByDependencies(tasks: Task[]): Task[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const sorted = new Set<Task>();
  for (const first of tasks) {
    const stack = [first];
    const open = new Set<Task>();
    while (stack.length > 0) {
      const task = stack.at(-1)!;
      const before = [task.parentId, ...(task.depends ?? [])].flatMap((id) => (id && byId.get(id)) || []);
      const missing = open.has(task) ? [] : before.filter((other) => !sorted.has(other) && !open.has(other));
      open.add(task);
      if (missing.length > 0) stack.push(...missing.reverse());
      else sorted.add(stack.pop()!);
    }
  }
  return [...sorted];
}
