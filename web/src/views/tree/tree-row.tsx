import { getChildTier } from '#tasks/rules/hierarchy.ts';
import { AgentChip, AssigneeChip } from '../../components/agent-chip.tsx';
import { ask } from '../../components/ask-dialog.tsx';
import { EditableText } from '../../components/editable-text.tsx';
import { EpicProgress } from '../../components/epic-progress.tsx';
import { Icon } from '../../components/icon.tsx';
import { PriorityIcon } from '../../components/priority-icon.tsx';
import { StateIcon, type TaskStatus } from '../../components/state-badge.tsx';
import { StatusMenu } from '../../components/status-menu.tsx';
import { TaskIdText, toTaskUrl } from '../../components/task-id.tsx';
import { TaskMenu } from '../../components/task-menu.tsx';
import { addTask, updateTasks } from '../../state/task-actions.ts';
import type { IndexTask } from '../../state/task-index.ts';
import type { Progress } from '../../state/task-summaries.ts';
import type { TreeRow } from './tree-rows.ts';

interface TreeRowProps {
  row: TreeRow;
  progress: Progress | undefined;
  rolledUp: TaskStatus | undefined;
  isCursor: boolean;
  isEdited: boolean;
  canWrite: boolean;
  onToggle: (id: string) => void;
  onEdit: (id: string | undefined) => void;
}

export function TreeRowLine({ row, progress, rolledUp, isCursor, isEdited, canWrite, onToggle, onEdit }: TreeRowProps) {
  const { task, depth, childCount, isOpen } = row;
  const { id, title, type, status, priority, claim, assignee } = task;
  return (
    <div class={`tree-row ${type} ${isCursor ? 'cursor' : ''}`} style={{ '--depth': String(depth) }} data-task={id}>
      {childCount > 0 ? (
        <button
          type="button"
          class="button quiet small icon-only tree-toggle"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Collapse' : 'Expand'} ${id}`}
          onClick={() => onToggle(id)}
        >
          <Icon name={isOpen ? 'down' : 'chevron'} size={12} />
        </button>
      ) : (
        <span class="tree-toggle" />
      )}
      <StatusMenu id={id} status={status} isShort />
      <TaskIdText id={id} type={type} />
      {isEdited ? (
        <EditableText
          label={`Title of ${id}`}
          value={title}
          onCancel={() => onEdit(undefined)}
          onSave={async (text) => {
            if (await updateTasks([id], { title: text })) onEdit(undefined);
          }}
        />
      ) : (
        <a class="tree-title line" href={toTaskUrl(id)} title={title}>
          {title}
        </a>
      )}
      <span class="tree-end">
        {canWrite && !isEdited && (
          <span class="tree-actions">
            <button type="button" class="button quiet small icon-only" aria-label={`Edit the title of ${id}`} onClick={() => onEdit(id)}>
              <Icon name="edit" size={13} />
            </button>
            {type !== 'subtask' && (
              <button
                type="button"
                class="button quiet small icon-only"
                aria-label={`Add a task inside ${id}`}
                onClick={() => void addChild(task)}
              >
                <Icon name="plus" size={13} />
              </button>
            )}
          </span>
        )}
        {claim ? <AgentChip claim={claim} isShort /> : assignee ? <AssigneeChip name={assignee} /> : null}
        {progress && childCount > 0 && (
          <>
            <RolledUpState id={id} status={rolledUp ?? status} />
            <EpicProgress label={title} progress={progress} />
          </>
        )}
        <PriorityIcon priority={priority} />
        <TaskMenu task={task} />
      </span>
    </div>
  );
}

const RolledUpState = ({ id, status }: { id: string; status: TaskStatus }) => (
  <span class="rolled-up" role="img" aria-label={`Inside ${id}: ${status}`} title={`inside: ${status}`}>
    <StateIcon status={status} isLabelled />
  </span>
);

async function addChild({ id, type }: IndexTask): Promise<void> {
  const title = await ask({ title: `Add a ${getChildTier(type)} inside ${id}`, label: 'What to do, in the imperative', confirm: 'Add' });
  if (title !== undefined) await addTask({ title, parent: id });
}
