import { useState } from 'preact/hooks';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useQuery } from '../../state/use-query.ts';

const pageSize = 25;

/** The log entries of a session, the newest first. */
export function SessionLog({ sessionId }: { sessionId: string }) {
  const [limit, setLimit] = useState(pageSize);
  const { data, failure, reload } = useQuery(
    'admin.log',
    { session: sessionId, limit, brief: true },
    { isAffected: ({ session }) => session === sessionId, followsCalls: true },
  );
  const entries = data?.entries ?? [];
  const total = data?._meta.truncated?.total ?? entries.length;
  return (
    <Panel title="Log" count={total}>
      {failure && <ErrorNote failure={failure} onRetry={reload} />}
      {data && entries.length === 0 && <p class="panel-none">No entries.</p>}
      <ol class="rows">
        {entries.map(({ seq, timestamp, operation, agent, success, errorCode, created = [], updated = [] }) => (
          <li key={seq} class="row log-row">
            <span class="mono muted">{seq}</span>
            <code class="line">{operation}</code>
            {!success && <span class="log-error">{errorCode ?? 'failed'}</span>}
            <span class="line muted">{[...created, ...updated].slice(0, 4).join(' ')}</span>
            <span class="row-end muted">
              <span class="line">{agent}</span>
              <TimeAgo time={timestamp} />
            </span>
          </li>
        ))}
      </ol>
      {entries.length < total && (
        <p class="panel-none">
          <button type="button" class="button small" onClick={() => setLimit(limit + 4 * pageSize)}>
            Show more
          </button>
        </p>
      )}
    </Panel>
  );
}
