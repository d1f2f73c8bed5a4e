import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { getRecordUrl } from '../../routes.ts';
import { useQuery } from '../../state/use-query.ts';
import { DocumentPanel } from './document-panel.tsx';
import { MemoryPanel } from './memory-panel.tsx';
import { RecordLink } from './record-row.tsx';
import { ResearchPanel } from './research-panel.tsx';

const maxRuns = 200;

/** Documents, memory, research and runs that belong to the task. */
export function LinkedRecords({ taskId, canWrite }: { taskId: string; canWrite: boolean }) {
  const all = useQuery('trace.list', { limit: maxRuns }, { isAffected: () => false, refreshMs: 30_000 }).data?.runs ?? [];
  const runs = all.filter((run) => run.taskId === taskId);
  return (
    <>
      <DocumentPanel taskId={taskId} canWrite={canWrite} />
      <MemoryPanel taskId={taskId} canWrite={canWrite} />
      <ResearchPanel taskId={taskId} canWrite={canWrite} />
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
