import { useCanWrite } from '../state/actions.ts';
import { explainMove, moveTasks } from '../state/task-actions.ts';
import { Menu } from './menu.tsx';
import { StateBadge, StateIcon, statuses, type TaskStatus } from './state-badge.tsx';

/** The status of a task as a button that changes it. Moves that are not possible are listed with the reason. */
export function StatusMenu({ id, status, isShort = false }: { id: string; status: TaskStatus; isShort?: boolean }) {
  const canWrite = useCanWrite();
  if (!canWrite) return isShort ? <StateIcon status={status} /> : <StateBadge status={status} />;
  return (
    <Menu
      label={`Status of ${id}: ${status}`}
      className={isShort ? 'button quiet small icon-only' : 'status-button'}
      items={statuses.map((to) => ({
        label: to,
        icon: <StateIcon status={to} isLabelled />,
        isChecked: to === status,
        disabled: explainMove(status, to),
        run: () => void moveTasks([{ id, status }], to),
      }))}
    >
      {isShort ? <StateIcon status={status} isLabelled /> : <StateBadge status={status} />}
    </Menu>
  );
}
