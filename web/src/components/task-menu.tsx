import { useCanWrite } from '../state/actions.ts';
import { notify } from '../state/notices.ts';
import {
  assignTasks,
  cancelTasks,
  explainMove,
  labelTasks,
  moveTasks,
  moveToParent,
  renameTask,
  setPriority,
  stopTask,
  takeOverTask,
} from '../state/task-actions.ts';
import type { IndexTask } from '../state/task-index.ts';
import { Icon } from './icon.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { PriorityIcon, priorities } from './priority-icon.tsx';
import { StateIcon, statuses } from './state-badge.tsx';

/** Lists everything that a list can do with one task. */
function listTaskActions(task: IndexTask, canWrite: boolean): MenuItem[] {
  const { id, status, claim } = task;
  const ids = [id];
  const disabled = canWrite ? undefined : 'This page may only read';
  const verbs = { pending: 'Move to pending', active: status === 'done' ? 'Reopen' : 'Start', blocked: 'Block', done: 'Complete' };
  return [
    ...statuses
      .filter((to) => to !== status)
      .map((to) => ({
        label: verbs[to],
        icon: <StateIcon status={to} isLabelled />,
        disabled: disabled ?? explainMove(status, to),
        run: () => void moveTasks([task], to),
      })),
    ...(claim?.state ? [{ label: 'Take over', icon: <Icon name="person" />, disabled, run: () => void takeOverTask(id) }] : []),
    ...(claim ? [{ label: 'Release', icon: <Icon name="stop" />, disabled, run: () => void stopTask(id) }] : []),
    { label: 'Edit the title…', icon: <Icon name="edit" />, disabled, isAfterLine: true, run: () => void renameTask(id, task.title) },
    { label: 'Assign…', icon: <Icon name="person" />, disabled, run: () => void assignTasks(ids) },
    { label: 'Labels…', icon: <Icon name="label" />, disabled, run: () => void labelTasks(ids) },
    { label: 'Move into…', icon: <Icon name="tree" />, disabled, run: () => void moveToParent(ids) },
    ...priorities.map((priority, i) => ({
      label: `Priority: ${priority}`,
      icon: <PriorityIcon priority={priority} isLabelled />,
      isChecked: priority === task.priority,
      isAfterLine: i === 0,
      disabled,
      run: () => void setPriority(ids, priority),
    })),
    {
      label: 'Copy id',
      icon: <Icon name="copy" />,
      isAfterLine: true,
      run: () => void navigator.clipboard?.writeText(id).then(() => notify('done', `Copied ${id}`)),
    },
    { label: 'Cancel the work…', icon: <Icon name="close" />, disabled, run: () => void cancelTasks(ids) },
  ];
}

export function TaskMenu({ task }: { task: IndexTask }) {
  const canWrite = useCanWrite();
  return (
    <Menu label={`Actions for ${task.id}`} className="button quiet small icon-only" items={listTaskActions(task, canWrite)}>
      <Icon name="dots" />
    </Menu>
  );
}
