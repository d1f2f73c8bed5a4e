import { EpicProgress } from '../../components/epic-progress.tsx';
import { MoreLink } from '../../components/more-link.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import type { Progress, TaskSummaries } from '../../state/task-summaries.ts';

const maxShown = 12;
const none: Progress = { done: 0, active: 0, blocked: 0, total: 0 };

/** The progress of the epics that are not done: those with active tasks first, then those with blocked ones. */
export function EpicList({ summaries }: { summaries: TaskSummaries }) {
  const getProgress = (id: string): Progress => summaries.progressOf.get(id) ?? none;
  const getRank = (id: string): number => {
    const { active, blocked, done } = getProgress(id);
    return active > 0 ? 0 : blocked > 0 ? 1 : done > 0 ? 2 : 3;
  };
  const epics = summaries.containers
    .filter(({ type, status }) => type === 'epic' && status !== 'done')
    .sort((a, b) => getRank(a.id) - getRank(b.id));
  return (
    <Panel title="Epics" count={epics.length}>
      {epics.length === 0 && <p class="panel-none">No open epic.</p>}
      <ul class="rows">
        {epics.slice(0, maxShown).map(({ id, title }) => (
          <li key={id} class="row" data-nav>
            <TaskLink id={id} />
            <span class="row-end">
              <EpicProgress label={title} progress={getProgress(id)} />
            </span>
          </li>
        ))}
      </ul>
      <MoreLink count={epics.length - maxShown} noun="epics" href="/tree" />
    </Panel>
  );
}
