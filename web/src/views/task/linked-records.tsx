import type { ComponentChildren } from 'preact';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { getRecordUrl } from '../../routes.ts';
import { useQuery } from '../../state/use-query.ts';

const maxRuns = 200;

/** Documents, memory and runs that belong to the task. */
export function LinkedRecords({ taskId }: { taskId: string }) {
  const docs = useQuery('docs.list', { task: taskId, limit: 50 }).data?.docs ?? [];
  const memories = useQuery('memory.find', { task: taskId, limit: 50 }).data?.memories ?? [];
  const all = useQuery('trace.list', { limit: maxRuns }, { isAffected: () => false, refreshMs: 30_000 }).data?.runs ?? [];
  const runs = all.filter((run) => run.taskId === taskId);
  return (
    <>
      {docs.length > 0 && (
        <Panel title="Documents" count={docs.length}>
          <ul class="side-group">
            {docs.map(({ slug, title, type, version }) => (
              <li key={slug} class="side-row">
                <RecordLink url={getRecordUrl('document', slug)}>{title}</RecordLink>
                <span class="muted">
                  {type} v{version}
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {memories.length > 0 && (
        <Panel title="Memory" count={memories.length}>
          <ul class="side-group">
            {memories.map(({ id, title, confirmation_state }) => (
              <li key={id} class="side-row">
                <span class="task-id">{id}</span>
                <RecordLink url={getRecordUrl('memory', id)}>{title}</RecordLink>
                <span class="muted">{confirmation_state}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {runs.length > 0 && (
        <Panel title="Runs" count={runs.length}>
          <ul class="side-group">
            {runs.map(({ id, name, status, startedAt }) => (
              <li key={id} class="side-row">
                <RecordLink url={getRecordUrl('run', id)}>{name}</RecordLink>
                <span class="muted">
                  {status} <TimeAgo time={startedAt} />
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

const RecordLink = ({ url, children }: { url: string | undefined; children: ComponentChildren }) =>
  url ? (
    <a class="line" href={url}>
      {children}
    </a>
  ) : (
    <span class="line">{children}</span>
  );
