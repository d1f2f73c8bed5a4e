import type { IndexTask } from '../../state/task-index.ts';
import type { TaskSummaries } from '../../state/task-summaries.ts';

export interface TreeRow {
  task: IndexTask;
  depth: number;
  childCount: number;
  isOpen: boolean;
}

/** Which rows show their children: all, none, or by default containers in a small project, with the rows that a person changed. */
export interface Expansion {
  base: 'all' | 'none' | 'default';
  changed: ReadonlySet<string>;
}

/** Projects with more tasks begin with closed epics. */
const maxOpenTasks = 300;

const isOpenByDefault = ({ type }: IndexTask, base: Expansion['base'], total: number): boolean =>
  base === 'all' || (base === 'default' && (type === 'saga' || (type === 'epic' && total <= maxOpenTasks)));

/** Lists the visible rows from top to bottom. With a text, rows that match it are shown with everything above them. */
export function buildTreeRows({ childrenOf }: TaskSummaries, total: number, expansion: Expansion, text: string): TreeRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ id, title }: IndexTask): boolean => {
    const content = `${id} ${title}`.toLowerCase();
    return words.every((word) => content.includes(word));
  };
  const visit = (parent: string, depth: number): TreeRow[] =>
    (childrenOf.get(parent) ?? []).flatMap((task) => {
      const childCount = childrenOf.get(task.id)?.length ?? 0;
      if (words.length > 0) {
        const below = visit(task.id, depth + 1);
        return below.length > 0 || matches(task) ? [{ task, depth, childCount, isOpen: below.length > 0 }, ...below] : [];
      }
      const isOpen = childCount > 0 && isOpenByDefault(task, expansion.base, total) !== expansion.changed.has(task.id);
      return [{ task, depth, childCount, isOpen }, ...(isOpen ? visit(task.id, depth + 1) : [])];
    });
  return visit('', 0);
}
