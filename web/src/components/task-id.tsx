import { formatId } from '#core/terminal/cell.ts';
import { type IndexTask, useIndexTask } from '../state/task-index.ts';
import { StateIcon } from './state-badge.tsx';

/** The id with the prefix of its tier, such as `E-T001`. */
export const TaskIdText = ({ id, type }: { id: string; type?: IndexTask['type'] | undefined }) => (
  <span class="task-id">{formatId({ id, type })}</span>
);

export const toTaskUrl = (id: string): string => `/task/${encodeURIComponent(id)}`;

/** A link to a task with its current status and title. A task outside the index shows its id, and the title that is given. */
export function TaskLink({ id, title }: { id: string; title?: string | undefined }) {
  const task = useIndexTask(id);
  const text = task?.title ?? title;
  return (
    <a class="task-link" href={toTaskUrl(id)} title={text}>
      {task && <StateIcon status={task.status} />}
      <TaskIdText id={id} type={task?.type} />
      {text !== undefined && <span class="line">{text}</span>}
    </a>
  );
}
