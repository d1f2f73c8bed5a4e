import { Avatar } from '../../components/agent-chip.tsx';
import { Panel } from '../../components/panel.tsx';
import { SessionLink, SessionStatus, type SessionSummary } from '../../components/session-status.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { setParams, useParam } from '../../router.ts';
import { SessionButtons } from './session-buttons.tsx';

const statuses = ['', 'active', 'suspended', 'ended'] as const;

/** All sessions, the active ones first, with the actions that their status allows. */
export function SessionList({ sessions, total, onMore }: { sessions: SessionSummary[]; total: number; onMore: (() => void) | undefined }) {
  const [status, setStatus] = useParam('status');
  return (
    <Panel
      title="Sessions"
      count={total}
      actions={
        <span class="segments" role="group" aria-label="Status">
          {statuses.map((each) => (
            <button key={each} type="button" aria-pressed={each === status} onClick={() => setStatus(each)}>
              {each || 'all'}
            </button>
          ))}
        </span>
      }
    >
      {sessions.length === 0 && (
        <p class="panel-none">
          No session matches.{' '}
          <button type="button" class="button small" onClick={() => setParams({ status: '', text: '' })}>
            Show all sessions
          </button>
        </p>
      )}
      <ul class="rows">
        {sessions.map((session) => (
          <li key={session.id} class="row session-row" data-nav data-session={session.id}>
            <SessionStatus status={session.status} />
            <SessionLink id={session.id} name={session.name} />
            <span class="agent-chip" title={session.agent}>
              <Avatar name={session.agent} />
              <span class="line">{session.agent}</span>
            </span>
            <span class="row-end muted">
              <span class="line">
                {session.scope}
                {session.graded && ' · graded'}
              </span>
              <TimeAgo time={session.endedAt ?? session.startedAt} />
              <SessionButtons session={session} isSmall />
            </span>
          </li>
        ))}
      </ul>
      {onMore && (
        <p class="panel-none">
          <button type="button" class="button small" onClick={onMore}>
            Show more
          </button>
        </p>
      )}
    </Panel>
  );
}
