import './runs.css';
import { useState } from 'preact/hooks';
import { formatDuration } from '#lib/ago.ts';
import type { Params, Result } from '../../api/operations.generated.ts';
import { FilterSelect, FilterText } from '../../components/filter.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useListKeys } from '../../components/use-list-keys.ts';
import { useParam } from '../../router.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { isRunChange } from './run-changes.ts';
import { RunReviews } from './run-reviews.tsx';
import { RunState } from './run-state.tsx';
import { WorkPanel } from './work-panel.tsx';

export type Run = Result<'trace.list'>['runs'][number];
type Status = NonNullable<Params<'trace.list'>['status']>;

const statusNames: Record<Status, string> = {
  running: 'running',
  crashed: 'crashed',
  success: 'success',
  failure: 'failure',
  partial: 'partial',
  blocked: 'blocked',
  timeout: 'timeout',
  cancelled: 'cancelled',
};
const statusChoices = Object.entries(statusNames) as [Status, string][];
const pageSize = 100;
/** Runs are files, not entries of the log, so that no event reports them. */
const refreshMs = 2000;

/** Runs of constructs and skills, the newest first, and the reviews that wait for a person. */
export function RunsView() {
  const [status, setStatus] = useParam('status');
  const [text] = useParam('text');
  const [limit, setLimit] = useState(pageSize);
  const chosen = statusChoices.find(([each]) => each === status)?.[0];
  const { data, failure, reload } = useQuery(
    'trace.list',
    { limit, ...(chosen ? { status: chosen } : {}) },
    { isAffected: isRunChange, refreshMs },
  );
  useListKeys('.runs');
  useShortcuts('Runs', [{ keys: 'f', about: 'Filter by text', run: () => document.getElementById('runs-text')?.focus() }]);
  if (failure && !data) return <ErrorNote isView failure={failure} onRetry={reload} />;
  if (!data) return <LoadingLines count={8} />;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const runs = data.runs.filter(({ id, name, agent, taskId }) =>
    words.every((word) => [id, name, agent, taskId].join(' ').toLowerCase().includes(word)),
  );
  const hasMore = (data._meta.truncated?.total ?? 0) > data.runs.length;
  return (
    <div class="view-scroll">
      <header class="view-head">
        <h1>Runs</h1>
        <FilterText id="runs-text" />
        <FilterSelect label="Status" value={status} onChange={setStatus} choices={statusChoices} />
      </header>
      {data.runs.length === 0 && !chosen ? (
        <>
          <div class="view runs">
            <WorkPanel />
          </div>
          <EmptyState title="No run yet" commands={['cleo construct run', 'cleo work --dry-run']}>
            A run executes the skills of a construct, or is the work of an agent on a task, and traces every step. At a terminal:
          </EmptyState>
        </>
      ) : (
        <div class="view runs">
          <WorkPanel />
          <RunReviews />
          <Panel title="Runs" count={runs.length}>
            {runs.length === 0 && <p class="panel-none">No run matches.</p>}
            <ul class="rows">
              {runs.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </ul>
            {hasMore && (
              <p class="panel-none">
                <button type="button" class="button small" onClick={() => setLimit(limit + 4 * pageSize)}>
                  Show more
                </button>
              </p>
            )}
          </Panel>
        </div>
      )}
    </div>
  );
}

const toRunUrl = (id: string): string => `/runs/${encodeURIComponent(id)}`;

function RunRow({ run }: { run: Run }) {
  const { id, name, kind, status, startedAt, durationMs, executions, failed, taskId, agent, resumable } = run;
  return (
    <li class="row run-row" data-nav>
      <RunState status={status} />
      <a class="line run-name" href={toRunUrl(id)} title={id}>
        {name}
      </a>
      <span class="line mono muted run-id">{id}</span>
      {taskId && <TaskLink id={taskId} />}
      <span class="row-end muted">
        {resumable && (
          <span class="run-resumable" title="It can be resumed">
            <Icon name="play" size={14} /> resumable
          </span>
        )}
        <span>
          {kind}, {executions} {executions === 1 ? 'execution' : 'executions'}
          {failed > 0 && <span class="run-failed">, {failed} failed</span>}
        </span>
        {agent && <span class="line">{agent}</span>}
        {durationMs !== null && <span>{formatDuration(durationMs)}</span>}
        <TimeAgo time={startedAt} />
      </span>
    </li>
  );
}
