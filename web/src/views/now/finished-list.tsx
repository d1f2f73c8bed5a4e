import { MoreLink } from '../../components/more-link.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useNow } from '../../state/clock.ts';
import type { IndexTask } from '../../state/task-index.ts';

const maxShown = 12;

/** Tasks that were finished since midnight of the reader's zone, the latest first. */
export function FinishedList({ tasks }: { tasks: Map<string, IndexTask> }) {
  const midnight = new Date(useNow());
  midnight.setHours(0, 0, 0, 0);
  const since = midnight.toISOString();
  const finished = [...tasks.values()].filter(({ completedAt }) => completedAt !== undefined && completedAt >= since);
  finished.sort((a, b) => (a.completedAt! < b.completedAt! ? 1 : -1));
  return (
    <Panel title="Finished today" count={finished.length}>
      {finished.length === 0 && <p class="panel-none">Nothing yet.</p>}
      <ul class="rows">
        {finished.slice(0, maxShown).map(({ id, completedAt }) => (
          <li key={id} class="row" data-nav>
            <TaskLink id={id} />
            <span class="row-end muted">
              <TimeAgo time={completedAt!} />
            </span>
          </li>
        ))}
      </ul>
      <MoreLink count={finished.length - maxShown} noun="tasks" href="/log?operation=tasks.complete" />
    </Panel>
  );
}
