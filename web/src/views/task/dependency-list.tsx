import { AddLine } from '../../components/add-line.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { addDependency, listOtherTasks, removeDependency } from '../../state/task-actions.ts';
import { useQuery } from '../../state/use-query.ts';
import { RemoveButton } from './record-row.tsx';
import { addRemoteDependency, extractRemoteId, RemoteDependencyList } from './remote-dependency-list.tsx';
import type { FullTask } from './task-view.tsx';

/** Direct dependencies, which can be changed, and everything above and below with its status. */
export function DependencyList({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const { data } = useQuery('tasks.deps', { taskId: task.id }, { isAffected: ({ operation }) => /^(tasks|nexus)\./.test(operation) });
  const direct = task.depends ?? [];
  const upstream = (data?.deps.upstream ?? []).filter(({ id }) => !direct.includes(id));
  const downstream = data?.deps.downstream ?? [];
  const remote = data?.deps.remote ?? [];
  const canChange = canWrite && task.status !== 'done';
  return (
    <Panel title="Dependencies" count={direct.length + remote.length + upstream.length + downstream.length}>
      <DependencyGroup title="Depends on">
        {direct.length === 0 && <li class="side-row muted">nothing</li>}
        {direct.map((id) => (
          <li key={id} class="side-row">
            <TaskLink id={id} />
            {canChange && <RemoveButton label={`Remove the dependency on ${id}`} onRemove={() => void removeDependency(task.id, id)} />}
          </li>
        ))}
      </DependencyGroup>
      {canChange && (
        <AddLine
          label="New dependency"
          placeholder="Add T004, or web:T003"
          suggestions={listOtherTasks(task.id)}
          onAdd={(text) => {
            const remote = extractRemoteId(text);
            return remote === undefined ? addDependency(task.id, text) : addRemoteDependency(task.id, remote);
          }}
        />
      )}
      {remote.length > 0 && <RemoteDependencyList taskId={task.id} tasks={remote} canChange={canChange} />}
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
