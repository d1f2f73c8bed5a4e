import { useState } from 'preact/hooks';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { createIdCheck, useQuery } from '../../state/use-query.ts';

const pageSize = 25;

/** Changes of the fields, or the entries of the audit log. */
export function HistoryPanel({ taskId }: { taskId: string }) {
  const [shown, setShown] = useState<'history' | 'log'>('history');
  const [limit, setLimit] = useState(pageSize);
  const isAffected = createIdCheck(taskId);
  const history = useQuery('tasks.history', shown === 'history' ? { taskId, limit } : undefined, { isAffected });
  const log = useQuery('admin.log', shown === 'log' ? { task: taskId, limit } : undefined, { isAffected });
  const { data, failure, reload } = shown === 'history' ? history : log;
  const truncated = data?._meta.truncated;
  return (
    <Panel
      title="History"
      actions={
        <span class="segments" role="group" aria-label="Kind of history">
          <button type="button" aria-pressed={shown === 'history'} onClick={() => setShown('history')}>
            Changes
          </button>
          <button type="button" aria-pressed={shown === 'log'} onClick={() => setShown('log')}>
            Audit log
          </button>
        </span>
      }
    >
      {failure && <ErrorNote failure={failure} onRetry={reload} />}
      <ol class="history">
        {shown === 'history'
          ? history.data?.history.map(({ at, by, field, old, new: next, reason }, i) => (
              <li key={i}>
                <span class="text">
                  <strong>{by}</strong> {formatChange(field, old, next)}
                  {reason && <span class="muted"> ({reason})</span>}
                </span>
                <span class="muted">
                  <TimeAgo time={at} />
                </span>
              </li>
            ))
          : log.data?.entries.map(({ seq, timestamp, operation, agent, success, errorCode }) => (
              <li key={seq}>
                <span class="text">
                  <span class="mono muted">{seq}</span> <strong>{agent}</strong> <code>{operation}</code>
                  {!success && <span class="failed"> {errorCode}</span>}
                </span>
                <span class="muted">
                  <TimeAgo time={timestamp} />
                </span>
              </li>
            ))}
      </ol>
      {truncated && truncated.shown < truncated.total && (
        <p class="panel-none">
          <button type="button" class="button small" onClick={() => setLimit(limit + 4 * pageSize)}>
            Show more
          </button>
        </p>
      )}
    </Panel>
  );
}

const maxValue = 120;

function formatChange(field: string, old: unknown, next: unknown): string {
  const [from, to] = [formatValue(old), formatValue(next)];
  if (field === 'created') return `created it: ${to}`;
  if (from === '') return to === '' ? `changed ${field}` : `set ${field} to ${to}`;
  return to === '' ? `cleared ${field}, which was ${from}` : `changed ${field} from ${from} to ${to}`;
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}
