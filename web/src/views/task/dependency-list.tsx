import { parseTaskId } from '#core/model/scalars.ts';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { notify } from '../../state/notices.ts';
import { updateTasks } from '../../state/task-actions.ts';
import { useTaskIndex } from '../../state/task-index.ts';
import { useQuery } from '../../state/use-query.ts';
import { AddLine } from './add-line.tsx';
import type { FullTask } from './task-view.tsx';

/** Direct dependencies, which can be changed, and everything above and below with its status. */
export function DependencyList({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const { tasks } = useTaskIndex();
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
                onClick={() => void updateTasks([task.id], { removeDepends: [id] }, `${task.id} no longer depends on ${id}`)}
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
          suggestions={listSuggestions(tasks, task.id)}
          onAdd={async (text) => {
            const id = parseTaskId(text.split(/\s/)[0]!);
            if (id === undefined) notify('failed', `${text} is not a task id such as T001`);
            return id !== undefined && updateTasks([task.id], { addDepends: [id] }, `${task.id} depends on ${id}`);
          }}
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

const maxSuggestions = 100;

const listSuggestions = (tasks: Map<string, { id: string; title: string; status: string }>, own: string): string[] =>
  [...tasks.values()]
    .filter(({ id, status }) => id !== own && status !== 'done')
    .slice(0, maxSuggestions)
    .map(({ id, title }) => `${id} ${title}`);

const DependencyGroup = ({ title, children }: { title: string; children: preact.ComponentChildren }) => (
  <div class="side-group">
    <h3>{title}</h3>
    <ul>{children}</ul>
  </div>
);
