import type { Success } from '../../api/operations.generated.ts';
import { AddLine } from '../../components/add-line.tsx';
import { Icon } from '../../components/icon.tsx';
import { StateIcon, statuses } from '../../components/state-badge.tsx';
import { StatusMenu } from '../../components/status-menu.tsx';
import { TaskIdText, toTaskUrl } from '../../components/task-id.tsx';
import { TaskMenu } from '../../components/task-menu.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { setParams } from '../../router.ts';
import { useCanWrite } from '../../state/actions.ts';
import { addDependency, addDependent, listOtherTasks, removeDependency } from '../../state/task-actions.ts';
import { type IndexTask, useTaskIndex } from '../../state/task-index.ts';
import type { SceneTask } from './scene.ts';

interface GraphPanelProps {
  data: Success<'orchestrate.graph'>;
  tasks: Map<string, SceneTask>;
  /** The tasks that stand out, in the order of the waves. */
  listed: SceneTask[];
  selected: string | undefined;
  isOnly: boolean;
  onSelect: (id: string | undefined) => void;
}

/** The height of a row, as graph.css draws it. */
const rowHeight = 34;

/** The tasks of the graph as a list, or the selected one with its dependencies. Everything the canvas shows is here as elements. */
export function GraphPanel(props: GraphPanelProps) {
  const { selected, listed, onSelect } = props;
  return (
    <aside class="graph-panel panel" aria-label="Tasks of the graph">
      {selected === undefined ? (
        <>
          <VirtualList<SceneTask>
            className="graph-list"
            label="Tasks by wave"
            rows={listed}
            getHeight={() => rowHeight}
            getKey={({ id }) => id}
            render={(task) => (
              <TaskButton task={task} id={task.id} isCritical={props.data.criticalPath.includes(task.id)} onSelect={onSelect} />
            )}
          />
          <Legend />
        </>
      ) : (
        <SelectedTask {...props} id={selected} />
      )}
    </aside>
  );
}

interface TaskButtonProps {
  id: string;
  task: SceneTask | IndexTask | undefined;
  isCritical?: boolean;
  onSelect: (id: string) => void;
}

/** A task that can be selected. */
const TaskButton = ({ id, task, isCritical = false, onSelect }: TaskButtonProps) => (
  <button type="button" class="graph-task" title={task?.title} onClick={() => onSelect(id)}>
    {task && <StateIcon status={task.status} />}
    <TaskIdText id={id} type={task?.type} />
    <span class="line">{task?.title}</span>
    {task && 'wave' in task && (
      <span class={`graph-wave ${isCritical ? 'critical' : ''}`}>
        <span class="visually-hidden">{isCritical ? 'critical path, ' : ''}wave </span>
        {task.wave}
      </span>
    )}
  </button>
);

const Legend = () => (
  <div class="graph-legend" role="note" aria-label="Legend">
    {statuses.map((status) => (
      <span key={status}>
        <StateIcon status={status} isLabelled /> {status}
      </span>
    ))}
    <span class="graph-legend-line">critical path</span>
  </div>
);

function SelectedTask({ id, tasks, isOnly, onSelect }: GraphPanelProps & { id: string }) {
  const canWrite = useCanWrite();
  const index = useTaskIndex().tasks;
  const indexTask = index.get(id);
  const task = tasks.get(id);
  const { title, status, type } = task ?? indexTask ?? {};
  // The index also has tasks that are not in this graph: done ones, and those of other epics.
  const before = indexTask?.depends ?? [];
  const after = [...index.values()].filter(({ depends }) => depends?.includes(id)).map((each) => each.id);
  const canChange = canWrite && status !== undefined && status !== 'done';
  const suggestions = canChange ? listOtherTasks(id) : [];
  return (
    <div class="graph-selected">
      <div class="graph-selected-head">
        {status && <StatusMenu id={id} status={status} />}
        <TaskIdText id={id} type={type} />
        {task?.wave !== undefined && <span class="muted">wave {task.wave}</span>}
        <span class="spacer" />
        {indexTask && <TaskMenu task={indexTask} />}
        <button type="button" class="button quiet small icon-only" aria-label="Show the list of tasks" onClick={() => onSelect(undefined)}>
          <Icon name="close" size={14} />
        </button>
      </div>
      <h2 class="text">
        <a href={toTaskUrl(id)}>{title ?? id}</a>
      </h2>
      {!task && (
        <p class="muted">
          Not in this graph.
          <button type="button" class="button small" onClick={() => setParams({ done: 'shown', epic: '', only: '' })}>
            Show all tasks
          </button>
        </p>
      )}
      <p class="graph-selected-actions">
        <a class="button small" href={toTaskUrl(id)}>
          Open
        </a>
        <button type="button" class="button small" aria-pressed={isOnly} onClick={() => setParams({ only: isOnly ? '' : 'chain' })}>
          {isOnly ? 'Show all tasks' : 'Only its chain'}
        </button>
      </p>
      <LinkGroup
        title="Depends on"
        ids={before}
        tasks={index}
        onSelect={onSelect}
        canRemove={() => canChange}
        onRemove={(other) => void removeDependency(id, other)}
        toLabel={(other) => `Remove the dependency on ${other}`}
      />
      {canChange && (
        <AddLine label="New dependency" placeholder="Add a task id" suggestions={suggestions} onAdd={(text) => addDependency(id, text)} />
      )}
      <LinkGroup
        title="Waiting for it"
        ids={after}
        tasks={index}
        onSelect={onSelect}
        canRemove={(other) => canWrite && index.get(other)?.status !== 'done'}
        onRemove={(other) => void removeDependency(other, id)}
        toLabel={(other) => `Let ${other} no longer wait for ${id}`}
      />
      {canChange && (
        <AddLine label="New waiting task" placeholder="Add a task id" suggestions={suggestions} onAdd={(text) => addDependent(id, text)} />
      )}
      <p class="graph-legend">
        <span class="graph-legend-line">what it needs</span>
        <span class="graph-legend-line dashed">what waits for it</span>
      </p>
    </div>
  );
}

interface LinkGroupProps {
  title: string;
  ids: string[];
  tasks: Map<string, IndexTask>;
  onSelect: (id: string) => void;
  canRemove: (id: string) => boolean;
  onRemove: (id: string) => void;
  toLabel: (id: string) => string;
}

const LinkGroup = ({ title, ids, tasks, onSelect, canRemove, onRemove, toLabel }: LinkGroupProps) => (
  <section class="graph-links">
    <h3>
      {title} <span class="count">{ids.length}</span>
    </h3>
    <ul>
      {ids.map((id) => (
        <li key={id}>
          <TaskButton id={id} task={tasks.get(id)} onSelect={onSelect} />
          {canRemove(id) && (
            <button type="button" class="button quiet small icon-only" aria-label={toLabel(id)} onClick={() => onRemove(id)}>
              <Icon name="close" size={12} />
            </button>
          )}
        </li>
      ))}
    </ul>
  </section>
);
