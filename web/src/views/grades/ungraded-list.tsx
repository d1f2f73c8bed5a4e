import { Panel } from '../../components/panel.tsx';
import { SessionLink, SessionStatus, type SessionSummary } from '../../components/session-status.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useCanWrite } from '../../state/actions.ts';
import { storeGrade } from './grade-actions.ts';

const maxShown = 10;

/** Sessions without a stored grade. Those that recorded their reads can be graded here; the others have a preview only. */
export function UngradedList({ sessions, onGrade }: { sessions: SessionSummary[]; onGrade: () => void }) {
  const canWrite = useCanWrite();
  if (sessions.length === 0) return null;
  const sorted = [...sessions].sort((a, b) => Number(b.graded ?? false) - Number(a.graded ?? false));
  return (
    <Panel title="Not graded yet" count={sessions.length}>
      <ul class="rows">
        {sorted.slice(0, maxShown).map(({ id, name, status, graded, startedAt }) => (
          <li key={id} class="row" data-nav>
            <SessionStatus status={status} />
            <SessionLink id={id} name={name} />
            <span class="row-end muted">
              <TimeAgo time={startedAt} />
              <a class="button small" href={`/grades/${encodeURIComponent(id)}`}>
                Preview
              </a>
              {graded && (
                <button
                  type="button"
                  class="button small"
                  disabled={!canWrite}
                  onClick={() => void storeGrade(id).then((isStored) => isStored && onGrade())}
                >
                  Grade
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {sessions.length > maxShown && <p class="panel-none">and {sessions.length - maxShown} more</p>}
    </Panel>
  );
}
