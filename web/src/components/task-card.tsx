import { type IndexTask, useIndexTask } from '../state/task-index.ts';
import { AgentChip, AssigneeChip } from './agent-chip.tsx';
import { Icon } from './icon.tsx';
import { memo } from './memo.ts';
import { PriorityIcon } from './priority-icon.tsx';
import { TaskIdText, toTaskUrl } from './task-id.tsx';
import { TaskMenu } from './task-menu.tsx';
import { TimeAgo } from './time-ago.tsx';

interface TaskCardProps {
  task: IndexTask;
  isSelected: boolean;
  isCursor: boolean;
  /** The epic is left out where the group names it. */
  hasEpic: boolean;
  onToggle: (id: string, isRange: boolean) => void;
}

/** A card without any fact has no line for them. */
export const hasFacts = ({ claim, assignee, blockedBy, due, completedAt, labels }: IndexTask): boolean =>
  [claim, assignee, blockedBy, due, completedAt, labels].some((fact) => fact !== undefined);

/** A task on the board: identity and title, then the facts that decide what happens next. */
export const TaskCard = memo(({ task, isSelected, isCursor, hasEpic, onToggle }: TaskCardProps) => {
  const { id, title, type, priority, claim, assignee, blockedBy, completedAt, labels = [], due } = task;
  const epic = useIndexTask(hasEpic ? task.epicId : undefined);
  return (
    <article class={`task-card ${isSelected ? 'selected' : ''} ${isCursor ? 'cursor' : ''}`} data-task={id}>
      <div class="card-head">
        <input
          type="checkbox"
          aria-label={`Select ${id}`}
          checked={isSelected}
          onClick={(event) => {
            event.preventDefault();
            onToggle(id, event.shiftKey);
          }}
        />
        <PriorityIcon priority={priority} />
        <TaskIdText id={id} type={type} />
        {epic && (
          <span class="card-epic line" title={epic.title}>
            {epic.title}
          </span>
        )}
        <span class="card-menu">
          <TaskMenu task={task} />
        </span>
      </div>
      <a class="card-title text" href={toTaskUrl(id)} draggable={false}>
        {title}
      </a>
      {hasFacts(task) && (
        <div class="card-facts">
          {claim ? <AgentChip claim={claim} isShort /> : assignee ? <AssigneeChip name={assignee} /> : null}
          {blockedBy && (
            <span class="fact blocked line" title={blockedBy}>
              {blockedBy}
            </span>
          )}
          {due && !completedAt && (
            <span class="fact" title={`Due ${due}`}>
              <Icon name="calendar" size={12} />
              {due.slice(5)}
            </span>
          )}
          {completedAt && (
            <span class="fact">
              <TimeAgo time={completedAt} />
            </span>
          )}
          {labels.slice(0, 3).map((label) => (
            <span key={label} class="label line">
              {label}
            </span>
          ))}
        </div>
      )}
    </article>
  );
});
