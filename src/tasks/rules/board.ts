import { type Priority, type Status, seqOf, type TaskId, type TaskType } from '#core/model/scalars.ts';
import type { BoardTask } from '../model/board.ts';

export interface BoardColumn {
  status: Status;
  /** How many there are, shown or not. */
  count: number;
  tasks: (BoardTask & { epicId?: TaskId })[];
}

interface Asked {
  /** The root is what the board is about and is no card on it; what it is inside of, itself first. */
  above: { id: TaskId; type: TaskType; parentId?: TaskId }[];
  /** Words that a card has to have in its id or title, each of them somewhere. */
  match?: string | undefined;
  /** Cards of a column at most. */
  limit: number;
}

/** Tasks by state. What is open stands most urgent first, then oldest first, so that a card seldom changes its place; what is
 *  done stands last done first. */
export function boardColumns(tasks: BoardTask[], { above, match = '', limit }: Asked): BoardColumn[] {
  const words = match
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const isMeant = ({ id, title }: BoardTask): boolean => {
    const text = `${id} ${title}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const root = above[0]?.id;
  const found = new Map<Status, BoardTask[]>(states.map((status) => [status, []]));
  for (const task of tasks) if (task.id !== root && (words.length === 0 || isMeant(task))) found.get(task.status)!.push(task);
  const epicOf = epics([...tasks, ...above]);
  return states.map((status) => {
    const all = found.get(status)!;
    const shown = all.sort(status === 'done' ? lastDoneFirst : mostUrgentFirst).slice(0, limit);
    return { status, count: all.length, tasks: shown.map((task) => ({ ...task, ...epicOf(task) })) };
  });
}

const states: Status[] = ['pending', 'active', 'blocked', 'done'];
const urgency: Record<Priority, number> = { critical: 0, high: 1, medium: 2, low: 3 };

const mostUrgentFirst = (a: BoardTask, b: BoardTask): number => urgency[a.priority] - urgency[b.priority] || seqOf(a.id) - seqOf(b.id);

const lastDoneFirst = (a: BoardTask, b: BoardTask): number => {
  const [one = '', other = ''] = [a.completedAt, b.completedAt];
  return one < other ? 1 : one > other ? -1 : seqOf(b.id) - seqOf(a.id);
};

/** The nearest epic that a task is inside of. */
function epics(known: { id: TaskId; type: TaskType; parentId?: TaskId | undefined }[]) {
  const byId = new Map(known.map((task) => [task.id, task]));
  return ({ parentId }: BoardTask): { epicId?: TaskId } => {
    // No tier holds its own, so the way up is short; a store that was tampered with must not make it endless.
    let at = parentId;
    for (let step = 0; at !== undefined && step < deepest; step++) {
      const task = byId.get(at);
      if (task?.type === 'epic') return { epicId: task.id };
      at = task?.parentId;
    }
    return {};
  };
}

const deepest = 10;
