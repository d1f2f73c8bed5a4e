import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import type { Acceptance, Task } from '#tasks/model/task.ts';
import { formatMarker, headings } from './github-body.ts';
import { joinParagraphs } from './source-values.ts';

/** Converts tasks to issues. Parents and dependencies come first, so that the issues can be created in this order. */
export function toGithubIssues(tasks: Task[]) {
  const parents = new Set(tasks.map((task) => task.parentId));
  const exportedIds = new Set(tasks.map((task) => task.id));
  return sortByDependencies(tasks).map((task) => toGithubIssue(task, parents.has(task.id), exportedIds));
}

/** Builds an issue as `gh issue list --json` writes it. Its number is the number of the task until GitHub assigns one. */
function toGithubIssue(task: Task, isParent: boolean, exportedIds: Set<TaskId>) {
  const isDone = task.status === 'done';
  const isNotPlanned = task.labels?.includes('not-planned');
  const parent = task.parentId && exportedIds.has(task.parentId) ? task.parentId : undefined;
  const depends = (task.depends ?? []).filter((id) => exportedIds.has(id));
  return {
    number: toTaskNumber(task.id),
    title: task.title,
    body: formatBody(task, parent, depends),
    state: isDone ? 'CLOSED' : 'OPEN',
    stateReason: !isDone ? '' : isNotPlanned ? 'NOT_PLANNED' : 'COMPLETED',
    labels: listLabels(task, isParent).map((name) => ({ name })),
    parent: parent ? { number: toTaskNumber(parent) } : null,
    blockedBy: { nodes: depends.map((id) => ({ number: toTaskNumber(id) })), totalCount: depends.length },
    comments: (task.notes ?? []).map(({ at, by, text }) => ({ author: { login: by }, body: text, createdAt: at })),
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    closedAt: task.completedAt ?? null,
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
  ].slice(0, 100);
}

/** The body contains no `#` with a task number, because GitHub would link it to another issue. */
function formatBody(task: Task, parent: TaskId | undefined, depends: TaskId[]): string {
  const formatSection = (heading: string, lines: string[]): string => (lines.length > 0 ? [heading, ...lines].join('\n') : '');
  return joinParagraphs(
    task.description ?? '',
    formatSection(headings.criteria, (task.acceptance ?? []).flatMap(formatCriterion)),
    formatSection(headings.blocked, task.blockedBy ? [task.blockedBy] : []),
    formatSection(
      headings.files,
      (task.files ?? []).map((path) => `- \`${path}\``),
    ),
    formatMarker(task.id, parent, depends),
  );
}

/** Children become sub-issues instead. */
function formatCriterion(criterion: Acceptance): string[] {
  if (criterion.kind === 'child_task') return [];
  const text = criterion.kind === 'text' ? criterion.text.replace(/\s+/g, ' ') : `Evidence for ${criterion.gate}`;
  return [`- [${criterion.met ? 'x' : ' '}] ${text}`];
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
