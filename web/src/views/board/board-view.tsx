import './board.css';
import { useMemo, useRef, useState } from 'preact/hooks';
import { StateIcon, statuses, type TaskStatus } from '../../components/state-badge.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { toTaskUrl } from '../../components/task-id.tsx';
import { navigate, setParams, useParam } from '../../router.ts';
import { useCanWrite } from '../../state/actions.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { moveTasks } from '../../state/task-actions.ts';
import { type IndexTask, reloadTaskIndex, useTaskIndex } from '../../state/task-index.ts';
import { BoardColumnList } from './board-column.tsx';
import { BoardFilters } from './board-filters.tsx';
import { type BoardColumn, type BoardGrouping, boardGroupings, buildColumns, filterTasks } from './board-rows.ts';
import { QuickAdd } from './quick-add.tsx';
import { SelectionBar } from './selection-bar.tsx';

/** Tasks in columns by status. Every filter is in the address. */
export function BoardView() {
  const index = useTaskIndex();
  const canWrite = useCanWrite();
  const [text] = useParam('text');
  const [epic] = useParam('epic');
  const [label] = useParam('label');
  const [person] = useParam('person');
  const [group] = useParam('group', 'epic');
  const [shownStatus, setShownStatus] = useParam('column', 'pending');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<string | undefined>();
  const [isAdding, setAdding] = useState(false);
  const lastToggled = useRef<string | undefined>(undefined);

  const grouping: BoardGrouping = boardGroupings.find((each) => each === group) ?? 'epic';
  const columns = useMemo(
    () => buildColumns(filterTasks(index.tasks, { text, epic, label, person }), statuses, grouping, index.tasks),
    [index, text, epic, label, person, grouping],
  );
  const chosen = [...selected].flatMap((id) => index.tasks.get(id) ?? []);

  const toggle = (id: string, isRange: boolean): void => {
    const ids = isRange && lastToggled.current ? listRange(columns, lastToggled.current, id) : [id];
    const next = new Set(selected);
    const isAdded = !selected.has(id);
    for (const each of ids) {
      if (isAdded) next.add(each);
      else next.delete(each);
    }
    lastToggled.current = id;
    setSelected(next);
  };
  const drop = (ids: string[], status: TaskStatus): void => {
    void moveTasks(
      ids.flatMap((id) => index.tasks.get(id) ?? []),
      status,
    );
  };
  const moveCursor = (dx: number, dy: number): void => setCursor(findNext(columns, cursor, dx, dy));
  const atCursor = cursor === undefined ? undefined : index.tasks.get(cursor);
  const moveAtCursor = (status: TaskStatus): void => {
    if (canWrite && atCursor) void moveTasks(chosen.length > 0 ? chosen : [atCursor], status);
  };
  useShortcuts('Board', [
    { keys: 'j', about: 'Next card', run: () => moveCursor(0, 1) },
    { keys: 'k', about: 'Previous card', run: () => moveCursor(0, -1) },
    { keys: 'l', about: 'Next column', run: () => moveCursor(1, 0) },
    { keys: 'h', about: 'Previous column', run: () => moveCursor(-1, 0) },
    { keys: 'Enter', about: 'Open the card', run: () => cursor && navigate(toTaskUrl(cursor)) },
    { keys: 'x', about: 'Select the card', run: () => cursor && toggle(cursor, false) },
    { keys: 'Escape', about: 'Select nothing', run: () => setSelected(new Set()) },
    { keys: 'c', about: 'Add a task', run: () => setAdding(canWrite) },
    { keys: 'f', about: 'Filter by text', run: () => document.getElementById('board-text')?.focus() },
    { keys: '1', about: 'Move to pending', run: () => moveAtCursor('pending') },
    { keys: '2', about: 'Start', run: () => moveAtCursor('active') },
    { keys: '3', about: 'Block', run: () => moveAtCursor('blocked') },
    { keys: '4', about: 'Complete', run: () => moveAtCursor('done') },
  ]);

  if (index.status === 'failed' && index.failure)
    return <ErrorNote isView failure={index.failure} onRetry={() => void reloadTaskIndex()} />;
  if (index.status === 'loading') return <LoadingLines count={8} />;
  const isFiltered = [text, epic, label, person].some(Boolean);
  const isEmpty = columns.every(({ count }) => count === 0);
  return (
    <>
      <BoardFilters index={index} grouping={grouping} onAdd={canWrite ? () => setAdding(true) : undefined} />
      {isAdding && <QuickAdd epic={epic} onClose={() => setAdding(false)} />}
      {isEmpty && !isFiltered ? (
        <EmptyState title="No tasks yet" commands={['cleo add "Write the parser"']}>
          Add the first one with <kbd>c</kbd>, or at a terminal:
        </EmptyState>
      ) : isEmpty ? (
        <EmptyState title="No task matches these filters">
          <button type="button" class="button" onClick={() => setParams({ text: '', epic: '', label: '', person: '' })}>
            Show all tasks
          </button>
        </EmptyState>
      ) : (
        <>
          <div class="segments board-tabs" role="group" aria-label="Column">
            {columns.map(({ status, count }) => (
              <button key={status} type="button" aria-pressed={status === shownStatus} onClick={() => setShownStatus(status)}>
                <StateIcon status={status} isLabelled /> {status} {count}
              </button>
            ))}
          </div>
          <div class="board" data-shown={shownStatus}>
            {columns.map((column) => (
              <BoardColumnList
                key={column.status}
                column={column}
                selected={selected}
                cursor={cursor}
                hasEpic={grouping !== 'epic'}
                canWrite={canWrite}
                onToggle={toggle}
                onDrop={drop}
              />
            ))}
          </div>
        </>
      )}
      {chosen.length > 0 && <SelectionBar tasks={chosen} onClear={() => setSelected(new Set())} />}
    </>
  );
}

const listCards = ({ rows }: BoardColumn): IndexTask[] => rows.flatMap((row) => (row.kind === 'card' ? row.task : []));

/** Lists the cards between two cards of one column; the second one alone if they are in different columns. */
function listRange(columns: BoardColumn[], from: string, to: string): string[] {
  const ids = columns.map((column) => listCards(column).map(({ id }) => id)).find((each) => each.includes(to)) ?? [];
  const [a, b] = [ids.indexOf(from), ids.indexOf(to)];
  return a < 0 ? [to] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** Finds the card next to the cursor; the first card if there is no cursor. */
function findNext(columns: BoardColumn[], cursor: string | undefined, dx: number, dy: number): string | undefined {
  const cards = columns.map(listCards);
  const x = cards.findIndex((column) => column.some(({ id }) => id === cursor));
  if (x < 0) return cards.find((column) => column.length > 0)?.[0]?.id;
  const y = cards[x]!.findIndex(({ id }) => id === cursor);
  if (dx === 0) return cards[x]![Math.max(0, Math.min(cards[x]!.length - 1, y + dy))]?.id;
  for (let next = x + dx; cards[next]; next += dx)
    if (cards[next]!.length > 0) return cards[next]![Math.min(y, cards[next]!.length - 1)]?.id;
  return cursor;
}
