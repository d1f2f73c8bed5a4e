import { useState } from 'preact/hooks';
import { AgentChip } from '../../components/agent-chip.tsx';
import { ask } from '../../components/ask-dialog.tsx';
import { EditableText } from '../../components/editable-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu, type MenuItem } from '../../components/menu.tsx';
import { StatusMenu } from '../../components/status-menu.tsx';
import { TaskIdText, TaskLink } from '../../components/task-id.tsx';
import { navigate } from '../../router.ts';
import { runAction } from '../../state/actions.ts';
import { cancelTasks, completeTasks, moveTasks, moveToParent, stopTask, takeOverTask, updateTasks } from '../../state/task-actions.ts';
import { useTaskIndex } from '../../state/task-index.ts';
import type { FullTask, TaskClaim } from './task-view.tsx';

/** Where the task is in the plan, its title and state, and what can be done with it. */
export function TaskHead({ task, claim, canWrite }: { task: FullTask; claim: TaskClaim | undefined; canWrite: boolean }) {
  const { tasks } = useTaskIndex();
  const [isEdited, setEdited] = useState(false);
  const { id, title, type, status, parentId } = task;
  const ancestors: string[] = [];
  for (let at = parentId; at !== undefined && ancestors.length < 4; at = tasks.get(at)?.parentId) ancestors.unshift(at);
  return (
    <header class="task-head">
      {ancestors.length > 0 && (
        <nav class="ancestors" aria-label="Parents">
          {ancestors.map((ancestor) => (
            <span key={ancestor}>
              <TaskLink id={ancestor} />
              <Icon name="chevron" size={11} />
            </span>
          ))}
        </nav>
      )}
      <div class="task-title-line">
        <TaskIdText id={id} type={type} />
        {isEdited ? (
          <EditableText
            label="Title"
            value={title}
            onCancel={() => setEdited(false)}
            onSave={async (text) => {
              if (await updateTasks([id], { title: text, expectRevision: task.revision })) setEdited(false);
            }}
          />
        ) : (
          <h1 class="text">{title}</h1>
        )}
        {canWrite && !isEdited && (
          <button
            type="button"
            class="button quiet small icon-only"
            data-action="edit-title"
            aria-label="Edit the title"
            onClick={() => setEdited(true)}
          >
            <Icon name="edit" size={14} />
          </button>
        )}
      </div>
      <div class="task-actions">
        <StatusMenu id={id} status={status} />
        {claim && <AgentChip claim={claim} />}
        {task.archivedAt && <span class="label">archived</span>}
        {task.resolution && task.resolution !== 'done' && <span class="label">{task.resolution}</span>}
        {canWrite && (
          <span class="task-buttons">
            {status !== 'done' && (
              <button
                type="button"
                class="button primary"
                onClick={() => void (status === 'active' ? completeTasks([id]) : moveTasks([task], 'active'))}
              >
                <Icon name={status === 'active' ? 'check' : 'play'} size={14} />
                {status === 'active' ? 'Complete' : 'Start'}
              </button>
            )}
            <Menu label={`Actions for ${id}`} className="button" items={listActions(task, claim)}>
              <Icon name="dots" />
            </Menu>
          </span>
        )}
      </div>
      {task.blockedBy && status === 'blocked' && (
        <p class="blocked-reason text">
          <Icon name="block" /> {task.blockedBy}
        </p>
      )}
    </header>
  );
}

function listActions(task: FullTask, claim: TaskClaim | undefined): MenuItem[] {
  const { id, status } = task;
  return [
    ...(status === 'pending' || status === 'active'
      ? [{ label: 'Complete', icon: <Icon name="check" />, run: () => void completeTasks([id]) }]
      : []),
    ...(status === 'done'
      ? [{ label: 'Reopen', icon: <Icon name="undo" />, run: () => void moveTasks([task], 'active') }]
      : status === 'blocked'
        ? [{ label: 'Unblock', icon: <Icon name="undo" />, run: () => void moveTasks([task], 'pending') }]
        : [{ label: 'Block…', icon: <Icon name="block" />, run: () => void moveTasks([task], 'blocked') }]),
    ...(claim ? [{ label: 'Release', icon: <Icon name="stop" />, run: () => void stopTask(id) }] : []),
    ...(claim ? [{ label: 'Take over…', icon: <Icon name="person" />, run: () => void takeOverTask(id) }] : []),
    { label: 'Move into…', icon: <Icon name="tree" />, isAfterLine: true, run: () => void moveToParent([id]) },
    ...(status === 'done' && !task.archivedAt
      ? [{ label: 'Archive', icon: <Icon name="archive" />, run: () => void runAction('tasks.archive', { taskId: id }, `Archived ${id}`) }]
      : []),
    ...(status !== 'done'
      ? [
          { label: 'Cancel the work…', icon: <Icon name="close" />, run: () => void cancelTasks([id]) },
          { label: 'Close as a duplicate…', icon: <Icon name="close" />, run: () => void cancelTasks([id], 'duplicate') },
          { label: "Close as won't fix…", icon: <Icon name="close" />, run: () => void cancelTasks([id], 'wontfix') },
        ]
      : []),
    // A done task is archived instead.
    ...(status !== 'done' ? [{ label: 'Delete…', icon: <Icon name="trash" />, isAfterLine: true, run: () => void deleteTask(id) }] : []),
  ];
}

async function deleteTask(id: string): Promise<void> {
  const typed = await ask({
    title: `Delete ${id} and everything inside it`,
    label: `Type ${id} to delete it`,
    hint: 'Tasks that depend on it no longer do. It can be restored later.',
    confirm: 'Delete',
    isDanger: true,
  });
  if (typed?.toUpperCase() !== id) return;
  if (await runAction('tasks.delete', { taskId: id, cascade: true, orphan: true }, `Deleted ${id}`)) navigate('/tree');
}
