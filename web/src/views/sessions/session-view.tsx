import './sessions.css';
import { Avatar } from '../../components/agent-chip.tsx';
import { Icon } from '../../components/icon.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Panel } from '../../components/panel.tsx';
import { SessionStatus } from '../../components/session-status.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useListKeys } from '../../components/use-list-keys.ts';
import { navigate } from '../../router.ts';
import { useCanWrite } from '../../state/actions.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { ClaimList } from './claim-list.tsx';
import { ContextMeter, NoContext, useContextReports } from './context-list.tsx';
import { HandoffPanel } from './handoff-panel.tsx';
import { endSession, resumeSession, suspendSession } from './session-actions.ts';
import { SessionButtons } from './session-buttons.tsx';
import { isWorkChange } from './session-changes.ts';
import { SessionLog } from './session-log.tsx';
import { Timeline } from './timeline.tsx';

/** One session: what was done in it and when, what is held, how full the context windows are, and the handoff. */
export function SessionView({ id }: { id: string }) {
  const shown = useContextReports(id);
  const timeline = useQuery('session.timeline', { session: id }, { isAffected: isWorkChange, followsCalls: true });
  const canWrite = useCanWrite();
  const session = shown.data?.session;
  const gradeUrl = `/grades/${encodeURIComponent(id)}`;
  useListKeys('.sessions');
  useShortcuts('Session', [
    { keys: 'x', about: 'End it', run: () => canWrite && session && session.status !== 'ended' && void endSession(session) },
    { keys: 'p', about: 'Suspend it', run: () => canWrite && session?.status === 'active' && void suspendSession(session) },
    { keys: 'r', about: 'Resume it', run: () => canWrite && session && session.status !== 'active' && void resumeSession(session) },
    { keys: 'u', about: 'Show its grade', run: () => navigate(gradeUrl) },
  ]);
  if (shown.failure && !session) return <ErrorNote isView failure={shown.failure} onRetry={shown.reload} />;
  if (!session) return <LoadingLines count={8} />;
  const { name, status, scope, startedAt, endedAt, agents, claims = [], context = [], note, handoff, phase, graded } = session;
  const root = /^\w+:(T\d+)$/.exec(scope)?.[1];
  return (
    <div class="view-scroll">
      <header class="view-head session-head">
        <a href="/sessions" class="button quiet icon-only" aria-label="All sessions" title="All sessions">
          <Icon name="undo" />
        </a>
        <h1 class="text">{name ?? id}</h1>
        <SessionStatus status={status} />
        <span class="spacer" />
        <a class="button" href={gradeUrl}>
          <Icon name="grades" size={14} /> Grade
        </a>
        <SessionButtons session={session} />
      </header>
      <div class="view sessions">
        <dl class="session-facts">
          <div>
            <dt>Id</dt>
            <dd class="mono text">{id}</dd>
          </div>
          <div>
            <dt>Scope</dt>
            <dd>{root ? <TaskLink id={root} /> : scope}</dd>
          </div>
          <div>
            <dt>Agents</dt>
            <dd class="session-agents">
              {(agents.length > 0 ? agents : [session.agent]).map((agent) => (
                <span key={agent} class="agent-chip" title={agent}>
                  <Avatar name={agent} />
                  <span class="line">{agent}</span>
                </span>
              ))}
            </dd>
          </div>
          <div>
            <dt>Started</dt>
            <dd>
              <TimeAgo time={startedAt} />
              {' by '}
              <span class="text">{session.agent}</span>
            </dd>
          </div>
          {endedAt && (
            <div>
              <dt>Ended</dt>
              <dd>
                <TimeAgo time={endedAt} />
              </dd>
            </div>
          )}
          {phase && (
            <div>
              <dt>Phase</dt>
              <dd class="text">{phase}</dd>
            </div>
          )}
          <div>
            <dt>Reads</dt>
            <dd>{graded ? 'recorded for its grade' : 'not recorded'}</dd>
          </div>
        </dl>
        {timeline.failure && <ErrorNote failure={timeline.failure} onRetry={timeline.reload} />}
        {timeline.data && timeline.data.lanes.length > 0 && (
          <Timeline data={timeline.data} lanes={timeline.data.lanes} initialRange="all" />
        )}
        {timeline.data?.lanes.length === 0 && (
          <EmptyState title="No task was worked on yet" commands={['cleo next --claim']}>
            An agent of the session takes a task with
          </EmptyState>
        )}
        <div class="sessions-columns">
          <div class="sessions-side">
            {handoff ? <HandoffPanel handoff={handoff} /> : note && <NotePanel note={note} />}
            <SessionLog sessionId={id} />
          </div>
          <div class="sessions-side">
            <ClaimList claims={claims} />
            <Panel title="Context windows" count={context.length}>
              {context.length === 0 && <NoContext />}
              <ul class="rows">
                {context.map((report) => (
                  <li key={report.agent} class="row context-row">
                    <ContextMeter report={report} />
                  </li>
                ))}
              </ul>
            </Panel>
          </div>
        </div>
      </div>
    </div>
  );
}

const NotePanel = ({ note }: { note: string }) => (
  <Panel title="Note">
    <div class="handoff-note">
      <Markdown text={note} />
    </div>
  </Panel>
);
