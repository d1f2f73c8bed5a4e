import { pluralize } from '#lib/noun.ts';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { PriorityIcon, priorities } from '../../components/priority-icon.tsx';
import { StateIcon, statuses } from '../../components/state-badge.tsx';
import { useCanWrite } from '../../state/actions.ts';
import { assignTasks, cancelTasks, explainMove, labelTasks, moveTasks, moveToParent, setPriority } from '../../state/task-actions.ts';
import type { IndexTask } from '../../state/task-index.ts';

/** What can be done with all selected tasks at once. */
export function SelectionBar({ tasks, onClear }: { tasks: IndexTask[]; onClear: () => void }) {
  const canWrite = useCanWrite();
  const ids = tasks.map(({ id }) => id);
  const disabled = canWrite ? undefined : 'This page may only read';
  return (
    <div class="selection-bar" role="toolbar" aria-label="Selected tasks">
      <strong>{pluralize(ids.length, 'task')} selected</strong>
      <Menu
        label="Move the selected tasks"
        className="button small"
        disabled={!canWrite}
        items={statuses.map((to) => ({
          label: to,
          icon: <StateIcon status={to} isLabelled />,
          disabled: tasks.map(({ status }) => explainMove(status, to)).find((text) => text !== undefined),
          run: () => void moveTasks(tasks, to),
        }))}
      >
        Move <Icon name="down" size={12} />
      </Menu>
      <Menu
        label="Change the selected tasks"
        className="button small"
        disabled={!canWrite}
        items={[
          { label: 'Assign…', icon: <Icon name="person" />, disabled, run: () => void assignTasks(ids) },
          { label: 'Labels…', icon: <Icon name="label" />, disabled, run: () => void labelTasks(ids) },
          { label: 'Move into…', icon: <Icon name="tree" />, disabled, run: () => void moveToParent(ids) },
          ...priorities.map((priority, i) => ({
            label: `Priority: ${priority}`,
            icon: <PriorityIcon priority={priority} isLabelled />,
            isAfterLine: i === 0,
            run: () => void setPriority(ids, priority),
          })),
          { label: 'Cancel the work…', icon: <Icon name="close" />, isAfterLine: true, run: () => void cancelTasks(ids) },
        ]}
      >
        Change <Icon name="down" size={12} />
      </Menu>
      <button type="button" class="button quiet small icon-only" aria-label="Select nothing" onClick={onClear}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}
