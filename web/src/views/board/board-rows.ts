import { toTaskNumber } from '#core/model/scalars.ts';
import { getCardOrder } from '#tasks/rules/board.ts';
import { priorities } from '../../components/priority-icon.tsx';
import type { TaskStatus } from '../../components/state-badge.tsx';
import type { IndexTask } from '../../state/task-index.ts';

export const boardGroupings = ['none', 'epic', 'assignee', 'priority'] as const;
export type BoardGrouping = (typeof boardGroupings)[number];

interface BoardFilter {
  /** Words that must all occur in the id or the title. */
  text: string;
  /** The task is this one or inside it. */
  epic: string;
  label: string;
  /** An assignee or holder; `none` for tasks without either. */
  person: string;
}

export type BoardRow = { kind: 'group'; key: string; title: string; count: number } | { kind: 'card'; key: string; task: IndexTask };

export interface BoardColumn {
  status: TaskStatus;
  count: number;
  rows: BoardRow[];
}

/** Selects the tasks of the board. Sagas and epics are the groups and have no card, unless a text is searched for. */
export function filterTasks(tasks: Map<string, IndexTask>, { text, epic, label, person }: BoardFilter): IndexTask[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return [...tasks.values()].filter((task) => {
    if (words.length === 0 && (task.type === 'saga' || task.type === 'epic')) return false;
    if (label && !task.labels?.includes(label)) return false;
    if (person && (getPerson(task) ?? 'none') !== person) return false;
    if (epic && !isInside(task, epic, tasks)) return false;
    const content = `${task.id} ${task.title}`.toLowerCase();
    return words.every((word) => content.includes(word));
  });
}

/** The holder, else the assignee: the one to ask about the task. */
const getPerson = ({ claim, assignee }: IndexTask): string | undefined => claim?.agent ?? assignee;

function isInside(task: IndexTask, container: string, tasks: Map<string, IndexTask>): boolean {
  let at: IndexTask | undefined = task;
  for (let depth = 0; at && depth < 10; depth++) {
    if (at.id === container) return true;
    at = at.parentId === undefined ? undefined : tasks.get(at.parentId);
  }
  return false;
}

/** Sorts tasks into the columns, and inside a column into groups. */
export function buildColumns(
  found: IndexTask[],
  statuses: TaskStatus[],
  grouping: BoardGrouping,
  tasks: Map<string, IndexTask>,
): BoardColumn[] {
  const byStatus = new Map<TaskStatus, IndexTask[]>(statuses.map((status) => [status, []]));
  for (const task of found) byStatus.get(task.status)?.push(task);
  return statuses.map((status) => {
    const own = byStatus.get(status) ?? [];
    own.sort(getCardOrder(status));
    return { status, count: own.length, rows: grouping === 'none' ? own.map(toCardRow) : buildGroups(own, grouping, tasks) };
  });
}

const toCardRow = (task: IndexTask): BoardRow => ({ kind: 'card', key: task.id, task });

function buildGroups(own: IndexTask[], grouping: Exclude<BoardGrouping, 'none'>, tasks: Map<string, IndexTask>): BoardRow[] {
  const groups = new Map<string, IndexTask[]>();
  for (const task of own) {
    const key = getGroup(task, grouping);
    const members = groups.get(key);
    if (members) members.push(task);
    else groups.set(key, [task]);
  }
  return [...groups]
    .sort(([a], [b]) => compareGroups(a, b, grouping))
    .flatMap(([key, members]) => [
      { kind: 'group' as const, key: `group ${key}`, title: formatGroup(key, grouping, tasks), count: members.length },
      ...members.map(toCardRow),
    ]);
}

const getGroup = (task: IndexTask, grouping: Exclude<BoardGrouping, 'none'>): string =>
  ({ epic: task.epicId, assignee: getPerson(task), priority: task.priority })[grouping] ?? '';

function formatGroup(key: string, grouping: Exclude<BoardGrouping, 'none'>, tasks: Map<string, IndexTask>): string {
  if (key === '') return grouping === 'epic' ? 'Without an epic' : 'Not assigned';
  return grouping === 'epic' ? (tasks.get(key)?.title ?? key) : key;
}

/** The group without a value is the last one. */
function compareGroups(a: string, b: string, grouping: Exclude<BoardGrouping, 'none'>): number {
  if (a === '' || b === '') return a === '' ? 1 : -1;
  if (grouping === 'priority') return (priorities as string[]).indexOf(a) - (priorities as string[]).indexOf(b);
  return grouping === 'epic' ? toTaskNumber(a) - toTaskNumber(b) : a < b ? -1 : 1;
}
