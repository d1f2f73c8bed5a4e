import { type Priority, type Status, type TaskId, type TaskType, toTaskNumber } from '#core/model/scalars.ts';
import type { BoardTask } from '../model/board.ts';

interface BoardColumn {
  status: Status;
  /** All matching tasks, including those cut off by the limit. */
  count: number;
  tasks: (BoardTask & { epicId?: TaskId })[];
}

interface BoardOptions {
  /** The root of the board, then its ancestors; empty for the whole project. The root itself gets no card. */
  ancestry: { id: TaskId; type: TaskType; parentId?: TaskId }[];
  /** Words that must all occur in the id or the title. */
  match?: string | undefined;
  /** Maximum number of cards per column. */
  limit: number;
}

/** Groups tasks by status. Open tasks are sorted by priority, then by age, so that cards rarely move; done tasks by completion, the
 *  latest first. */
export function buildBoardColumns(tasks: BoardTask[], { ancestry, match = '', limit }: BoardOptions): BoardColumn[] {
  const words = match
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matches = ({ id, title }: BoardTask): boolean => {
    const text = `${id} ${title}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const root = ancestry[0]?.id;
  const byStatus = new Map<Status, BoardTask[]>(statuses.map((status) => [status, []]));
  for (const task of tasks) if (task.id !== root && (words.length === 0 || matches(task))) byStatus.get(task.status)!.push(task);
  const findEpic = createEpicFinder([...tasks, ...ancestry]);
  return statuses.map((status) => {
    const all = byStatus.get(status)!;
    const shown = all.sort(getCardOrder(status)).slice(0, limit);
    return { status, count: all.length, tasks: shown.map((task) => ({ ...task, ...findEpic(task) })) };
  });
}

const statuses: Status[] = ['pending', 'active', 'blocked', 'done'];

/** Returns the order of the cards in the column of a status. */
export const getCardOrder = (status: Status) => (status === 'done' ? compareByCompletion : compareByPriority);

const priorityOrder: Record<Priority, number> = { critical: 0, high: 1, medium: 2, low: 3 };

type OrderedTask = Pick<BoardTask, 'id' | 'priority' | 'completedAt'>;

const compareByPriority = (a: OrderedTask, b: OrderedTask): number =>
  priorityOrder[a.priority] - priorityOrder[b.priority] || toTaskNumber(a.id) - toTaskNumber(b.id);

const compareByCompletion = (a: OrderedTask, b: OrderedTask): number => {
  const [atA = '', atB = ''] = [a.completedAt, b.completedAt];
  return atA < atB ? 1 : atA > atB ? -1 : toTaskNumber(b.id) - toTaskNumber(a.id);
};

/** Returns a function that finds the nearest epic above a task. */
function createEpicFinder(tasks: { id: TaskId; type: TaskType; parentId?: TaskId | undefined }[]) {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return ({ parentId }: BoardTask): { epicId?: TaskId } => {
    // The hierarchy has four tiers; the limit only guards against a cycle in a damaged store.
    let at = parentId;
    for (let step = 0; at !== undefined && step < maxDepth; step++) {
      const task = byId.get(at);
      if (task?.type === 'epic') return { epicId: task.id };
      at = task?.parentId;
    }
    return {};
  };
}

const maxDepth = 10;
