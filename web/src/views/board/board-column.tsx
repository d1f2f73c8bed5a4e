import { useState } from 'preact/hooks';
import { StateBadge, type TaskStatus } from '../../components/state-badge.tsx';
import { hasFacts, TaskCard } from '../../components/task-card.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { explainMove } from '../../state/task-actions.ts';
import { taskIndex } from '../../state/task-index.ts';
import type { BoardColumn, BoardRow } from './board-rows.ts';

interface BoardColumnProps {
  column: BoardColumn;
  selected: ReadonlySet<string>;
  cursor: string | undefined;
  hasEpic: boolean;
  canWrite: boolean;
  onToggle: (id: string, isRange: boolean) => void;
  onDrop: (ids: string[], status: TaskStatus) => void;
}

/** The ids that are dragged. Other data of a drag cannot be read before the drop. */
let dragged: string[] = [];

/** The heights of the title of a group, and of a card with and without a line of facts, as board.css draws them. */
const groupHeight = 36;
const cardHeight = { withFacts: 106, plain: 84 };
const getHeight = (row: BoardRow): number =>
  row.kind === 'group' ? groupHeight : hasFacts(row.task) ? cardHeight.withFacts : cardHeight.plain;

/** One column with its count. Cards can be dragged here from other columns; a move that is not possible says why. */
export function BoardColumnList({ column, selected, cursor, hasEpic, canWrite, onToggle, onDrop }: BoardColumnProps) {
  const { status, count, rows } = column;
  const [problem, setProblem] = useState<string | undefined>();
  const [isOver, setOver] = useState(false);
  const leave = (): void => {
    setOver(false);
    setProblem(undefined);
  };
  const visibleIndex = cursor === undefined ? undefined : findIndex(rows, cursor);
  return (
    <section
      class={`board-column ${isOver ? (problem ? 'refused' : 'over') : ''}`}
      data-status={status}
      aria-label={`${status}, ${count} tasks`}
      onDragOver={(event) => {
        event.preventDefault();
        const found = dragged.flatMap((id) => taskIndex.get().tasks.get(id) ?? []).map((task) => explainMove(task.status, status));
        setOver(true);
        setProblem(found.find((text) => text !== undefined));
      }}
      onDragLeave={(event) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) leave();
      }}
      onDrop={(event) => {
        event.preventDefault();
        leave();
        onDrop(dragged, status);
      }}
    >
      <header class="column-head">
        <StateBadge status={status} />
        <span class="count">{count}</span>
      </header>
      {problem && (
        <p class="drop-problem" role="alert">
          {problem}
        </p>
      )}
      <VirtualList
        label={`${status} tasks`}
        rows={rows}
        getHeight={getHeight}
        getKey={(row) => row.key}
        visibleIndex={visibleIndex}
        render={(row) =>
          row.kind === 'group' ? (
            <h2 class="group-head">
              <span class="line">{row.title}</span>
              <span class="count">{row.count}</span>
            </h2>
          ) : (
            <div
              class="card-frame"
              draggable={canWrite}
              onDragStart={(event) => {
                dragged = selected.has(row.key) ? [...selected] : [row.key];
                event.dataTransfer?.setData('text/plain', dragged.join(' '));
              }}
            >
              <TaskCard
                task={row.task}
                isSelected={selected.has(row.key)}
                isCursor={row.key === cursor}
                hasEpic={hasEpic}
                onToggle={onToggle}
              />
            </div>
          )
        }
      />
    </section>
  );
}

function findIndex(rows: BoardRow[], id: string): number | undefined {
  const at = rows.findIndex(({ key }) => key === id);
  return at < 0 ? undefined : at;
}
