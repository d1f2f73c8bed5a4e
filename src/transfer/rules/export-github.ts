import { seqOf, type TaskId } from '#core/model/scalars.ts';
import type { Acceptance, Task } from '#tasks/model/task.ts';
import { headings, markOf } from './github-body.ts';

/** An issue as `gh issue list --json` writes it. Its number is that of the task until GitHub gives it one of its own. */
export interface GithubIssue {
  number: number;
  title: string;
  body: string;
  state: 'OPEN' | 'CLOSED';
  stateReason: '' | 'COMPLETED' | 'NOT_PLANNED';
  labels: { name: string }[];
  parent: { number: number } | null;
  blockedBy: { nodes: { number: number }[]; totalCount: number };
  comments: { author: { login: string }; body: string; createdAt: string }[];
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
}

/** One issue for each task, what it is part of and what it waits for before it, so that they can be made in this order. */
export function githubIssues(tasks: Task[]): GithubIssue[] {
  const parents = new Set(tasks.map((task) => task.parentId));
  const known = new Set(tasks.map((task) => task.id));
  return inOrder(tasks).map((task) => issueOf(task, parents.has(task.id), known));
}

function issueOf(task: Task, isParent: boolean, known: Set<TaskId>): GithubIssue {
  const isDone = task.status === 'done';
  const isGivenUp = task.labels?.includes('not-planned');
  const parent = task.parentId && known.has(task.parentId) ? task.parentId : undefined;
  const depends = (task.depends ?? []).filter((id) => known.has(id));
  return {
    number: seqOf(task.id),
    title: task.title,
    body: bodyOf(task, parent, depends),
    state: isDone ? 'CLOSED' : 'OPEN',
    stateReason: !isDone ? '' : isGivenUp ? 'NOT_PLANNED' : 'COMPLETED',
    labels: labelsOf(task, isParent).map((name) => ({ name })),
    parent: parent ? { number: seqOf(parent) } : null,
    blockedBy: { nodes: depends.map((id) => ({ number: seqOf(id) })), totalCount: depends.length },
    comments: (task.notes ?? []).map(({ at, by, text }) => ({ author: { login: by }, body: text, createdAt: at })),
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    closedAt: task.completedAt ?? null,
  };
}

/** What GitHub has no field for and what follows from nothing else. */
function labelsOf(task: Task, isParent: boolean): string[] {
  const isTypeTold = task.type === 'epic' || task.type === 'saga' || (isParent && !task.parentId);
  return [
    ...(task.labels ?? []),
    `priority:${task.priority}`,
    ...(isTypeTold ? [`type:${task.type}`] : []),
    ...(task.status === 'active' || task.status === 'blocked' ? [`status:${task.status}`] : []),
    ...(task.size ? [`size:${task.size}`] : []),
    ...(task.phase ? [`phase:${task.phase}`.slice(0, 50)] : []),
  ].slice(0, 100);
}

/** No `#` and number of ours stands in it: on GitHub it would mean another issue. */
function bodyOf(task: Task, parent: TaskId | undefined, depends: TaskId[]): string {
  const criteria = (task.acceptance ?? []).flatMap(criterionOf);
  const files = (task.files ?? []).map((path) => `- \`${path}\``);
  return [
    task.description ?? '',
    criteria.length > 0 ? [headings.criteria, ...criteria].join('\n') : '',
    task.blockedBy ? `${headings.blocked}\n${task.blockedBy}` : '',
    files.length > 0 ? [headings.files, ...files].join('\n') : '',
    markOf(task.id, parent, depends),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Children are sub-issues and need no line. */
function criterionOf(criterion: Acceptance): string[] {
  if (criterion.kind === 'child_task') return [];
  const text = criterion.kind === 'text' ? criterion.text.replace(/\s+/g, ' ') : `Evidence for ${criterion.gate}`;
  return [`- [${criterion.met ? 'x' : ' '}] ${text}`];
}

/** By id, but for what must come before. A parent begins before its children and a task after what it waits for, so there is no circle. */
function inOrder(tasks: Task[]): Task[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const placed = new Set<Task>();
  for (const first of tasks) {
    const stack = [first];
    const open = new Set<Task>();
    while (stack.length > 0) {
      const task = stack.at(-1)!;
      const before = [task.parentId, ...(task.depends ?? [])].flatMap((id) => (id && byId.get(id)) || []);
      const missing = open.has(task) ? [] : before.filter((one) => !placed.has(one) && !open.has(one));
      open.add(task);
      if (missing.length > 0) stack.push(...missing.reverse());
      else placed.add(stack.pop()!);
    }
  }
  return [...placed];
}
