import { AddLine } from '../../components/add-line.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { addDependency, listOtherTasks, removeDependency } from '../../state/task-actions.ts';
import { useQuery } from '../../state/use-query.ts';
import type { FullTask } from './task-view.tsx';

/** Direct dependencies, which can be changed, and everything above and below with its status. */
export function DependencyList({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const { data } = useQuery('tasks.deps', { taskId: task.id });
  const direct = task.depends ?? [];
  const upstream = (data?.deps.upstream ?? []).filter(({ id }) => !direct.includes(id));
  const downstream = data?.deps.downstream ?? [];
  const canChange = canWrite && task.status !== 'done';
  return (
    <Panel title="Dependencies" count={direct.length + upstream.length + downstream.length}>
      <DependencyGroup title="Depends on">
        {direct.length === 0 && <li class="side-row muted">nothing</li>}
        {direct.map((id) => (
          <li key={id} class="side-row">
            <TaskLink id={id} />
            {canChange && (
              <button
                type="button"
                class="button quiet small icon-only"
                aria-label={`Remove the dependency on ${id}`}
                onClick={() => void removeDependency(task.id, id)}
              >
                <Icon name="close" size={12} />
              </button>
            )}
          </li>
        ))}
      </DependencyGroup>
      {canChange && (
        <AddLine
          label="New dependency"
          placeholder="Add a task id"
          suggestions={listOtherTasks(task.id)}
          onAdd={(text) => addDependency(task.id, text)}
        />
      )}
      {upstream.length > 0 && (
        <DependencyGroup title="Further up">
          {upstream.map(({ id, title }) => (
            <li key={id} class="side-row">
              <TaskLink id={id} title={title} />
            </li>
          ))}
        </DependencyGroup>
      )}
      {downstream.length > 0 && (
        <DependencyGroup title="Waiting for it">
          {downstream.map(({ id, title }) => (
            <li key={id} class="side-row">
              <TaskLink id={id} title={title} />
            </li>
          ))}
        </DependencyGroup>
      )}
    </Panel>
  );
}

const DependencyGroup = ({ title, children }: { title: string; children: preact.ComponentChildren }) => (
  <div class="side-group">
    <h3>{title}</h3>
    <ul>{children}</ul>
  </div>
);
