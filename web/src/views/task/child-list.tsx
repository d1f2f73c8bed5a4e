import { getChildTier } from '#tasks/rules/hierarchy.ts';
import { AddLine } from '../../components/add-line.tsx';
import { EpicProgress } from '../../components/epic-progress.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusMenu } from '../../components/status-menu.tsx';
import { TaskIdText, toTaskUrl } from '../../components/task-id.tsx';
import { addTask } from '../../state/task-actions.ts';
import { useTaskIndex } from '../../state/task-index.ts';
import type { FullTask } from './task-view.tsx';

const maxShown = 200;

/** The tasks inside this one. */
export function ChildList({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const { summaries } = useTaskIndex();
  const children = summaries.childrenOf.get(task.id) ?? [];
  const progress = summaries.progressOf.get(task.id);
  const canAdd = canWrite && task.status !== 'done' && task.type !== 'subtask';
  if (children.length === 0 && !canAdd) return null;
  const tier = getChildTier(task.type);
  return (
    <Panel
      title="Inside it"
      count={children.length}
      actions={progress && children.length > 0 && <EpicProgress label={task.title} progress={progress} />}
    >
      <ul class="rows">
        {children.slice(0, maxShown).map(({ id, type, title, status }) => (
          <li key={id} class="row">
            <StatusMenu id={id} status={status} isShort />
            <TaskIdText id={id} type={type} />
            <a class="line" href={toTaskUrl(id)} title={title}>
              {title}
            </a>
          </li>
        ))}
      </ul>
      {children.length > maxShown && <p class="panel-none">and {children.length - maxShown} more</p>}
      {canAdd && (
        <AddLine
          label={`New ${tier}`}
          placeholder={`Add a ${tier}`}
          onAdd={async (title) => (await addTask({ title, parent: task.id })) !== undefined}
        />
      )}
    </Panel>
  );
}
