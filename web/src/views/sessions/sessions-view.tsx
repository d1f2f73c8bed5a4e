import './sessions.css';
import { useState } from 'preact/hooks';
import { FilterText } from '../../components/filter.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { useListKeys } from '../../components/use-list-keys.ts';
import { useParam } from '../../router.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { ClaimList } from './claim-list.tsx';
import { ContextList } from './context-list.tsx';
import { isWorkChange } from './session-changes.ts';
import { SessionList } from './session-list.tsx';
import { Timeline } from './timeline.tsx';

const pageSize = 50;
/** Active sessions whose context windows are read. */
const maxContexts = 12;

/** Who worked on what, and when: a timeline of all agents, the sessions, the claims and the context windows. */
export function SessionsView() {
  const [text] = useParam('text');
  const [status] = useParam('status');
  const [limit, setLimit] = useState(pageSize);
  const timeline = useQuery('session.timeline', {}, { isAffected: isWorkChange, followsCalls: true });
  const list = useQuery('session.list', { limit });
  const running = useQuery('orchestrate.status', {}, { isAffected: isWorkChange, refreshMs: 30_000 });
  useListKeys('.sessions');
  useShortcuts('Sessions', [{ keys: 'f', about: 'Filter by text', run: () => document.getElementById('session-text')?.focus() }]);

  const failed = [timeline, list].find(({ failure, data }) => failure && !data);
  if (failed?.failure) return <ErrorNote isView failure={failed.failure} onRetry={failed.reload} />;
  if (!timeline.data || !list.data) return <LoadingLines count={8} />;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (...texts: (string | undefined)[]): boolean => words.every((word) => texts.join(' ').toLowerCase().includes(word));
  const { sessions } = list.data;
  const shown = sessions.filter(
    (session) =>
      (status === '' || session.status === status) && matches(session.id, session.name, session.agent, session.scope, session.phase),
  );
  const { lanes } = timeline.data;
  const shownLanes = lanes.filter(({ agent, focus }) => matches(agent, ...focus.map(({ taskId, title }) => `${taskId} ${title ?? ''}`)));
  const claims = running.data?.running.filter(({ taskId, title, agent, session }) => matches(taskId, title, agent, session));
  const total = list.data._meta.truncated?.total ?? sessions.length;
  return (
    <div class="view-scroll">
      <header class="view-head">
        <h1>Sessions</h1>
        <FilterText id="session-text" />
      </header>
      {lanes.length === 0 && sessions.length === 0 ? (
        <EmptyState title="No sessions yet" commands={['cleo session start --scope global', 'cleo next --claim']}>
          A session groups the work of an agent, and ends with a handoff:
        </EmptyState>
      ) : (
        <div class="view sessions">
          <Timeline data={timeline.data} lanes={shownLanes} initialRange="24h" />
          <div class="sessions-columns">
            {sessions.length === 0 ? (
              <EmptyState title="No sessions yet" commands={['cleo session start --scope global']} />
            ) : (
              <SessionList
                sessions={shown}
                total={total}
                onMore={sessions.length < total ? () => setLimit(limit + 4 * pageSize) : undefined}
              />
            )}
            <div class="sessions-side">
              <ClaimList claims={claims} />
              <ContextList sessions={shown.filter((session) => session.status === 'active').slice(0, maxContexts)} />
            </div>
          </div>
        </div>
      )}
    </div>
  );
}
