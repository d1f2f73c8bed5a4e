import { EpicProgress } from '../../components/epic-progress.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import type { TaskSummaries } from '../../state/task-summaries.ts';

const maxShown = 40;

/** The progress of every epic that is not done. */
export function EpicList({ summaries }: { summaries: TaskSummaries }) {
  const epics = summaries.containers.filter(({ type, status }) => type === 'epic' && status !== 'done');
  return (
    <Panel title="Epics" count={epics.length}>
      {epics.length === 0 && <p class="panel-none">No open epic.</p>}
      <ul class="rows">
        {epics.slice(0, maxShown).map(({ id, title }) => (
          <li key={id} class="row" data-nav>
            <TaskLink id={id} />
            <span class="row-end">
              <EpicProgress label={title} progress={summaries.progressOf.get(id) ?? { done: 0, active: 0, blocked: 0, total: 0 }} />
            </span>
          </li>
        ))}
      </ul>
      {epics.length > maxShown && (
        <p class="panel-none">
          <a href="/tree">and {epics.length - maxShown} more</a>
        </p>
      )}
    </Panel>
  );
}
