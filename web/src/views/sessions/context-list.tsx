import type { Result } from '../../api/operations.generated.ts';
import { Avatar } from '../../components/agent-chip.tsx';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Panel } from '../../components/panel.tsx';
import { SessionLink, type SessionSummary } from '../../components/session-status.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useQuery } from '../../state/use-query.ts';

type ContextReport = NonNullable<Result<'session.show'>['session']['context']>[number];

const tokens = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** The fill level of a context window as a bar with figures. Its color follows the limits of the project. */
export function ContextMeter({ report }: { report: ContextReport }) {
  const { agent, state, percent = 0, used = 0, max = 0, reportedAt } = report;
  return (
    <>
      <span class="row-agent">
        <span class="agent-chip" title={agent}>
          <Avatar name={agent} />
          <span class="line">{agent}</span>
        </span>
      </span>
      <span class={`context-meter ${state}`} role="img" aria-label={`Context window of ${agent}: ${percent}% used, ${state}`}>
        <span class="bar">
          <span style={{ width: `${Math.min(100, percent)}%` }} />
        </span>
      </span>
      <span class={`context-state ${state}`}>{state}</span>
      <span class="row-end muted">
        <span class="figures" title={`${used} of ${max} tokens`}>
          {percent}% of {tokens.format(max)}
        </span>
        {reportedAt && <TimeAgo time={reportedAt} />}
      </span>
    </>
  );
}

/** The context windows of the agents in active sessions. */
export function ContextList({ sessions }: { sessions: SessionSummary[] }) {
  return (
    <Panel title="Context windows">
      {sessions.length === 0 && <p class="panel-none">No session is active.</p>}
      <ul class="rows">
        {sessions.map((session) => (
          <SessionContext key={session.id} session={session} />
        ))}
      </ul>
    </Panel>
  );
}

function SessionContext({ session }: { session: SessionSummary }) {
  const { data } = useContextReports(session.id);
  const reports = data?.session.context ?? [];
  if (!data) return null;
  if (reports.length === 0)
    return (
      <li class="row" data-nav>
        <SessionLink id={session.id} name={session.name} />
        <span class="row-end muted">not reported</span>
      </li>
    );
  return (
    <>
      {reports.map((report) => (
        <li key={report.agent} class="row context-row" data-nav>
          <ContextMeter report={report} />
        </li>
      ))}
    </>
  );
}

/** A report goes stale without a write. */
export const useContextReports = (sessionId: string) =>
  useQuery(
    'session.show',
    { sessionId },
    {
      isAffected: ({ operation, session }) =>
        session === sessionId || operation.startsWith('session.') || operation.startsWith('system.context'),
      refreshMs: 60_000,
    },
  );

export const NoContext = () => (
  <p class="panel-none">
    No agent has reported its context window. The status line does it, or{' '}
    <CopyCommand command="cleo context report --used 150000 --max 200000" />
  </p>
);
