import { CopyCommand } from '../../components/copy-command.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import type { IndexTask } from '../../state/task-index.ts';
import { useFindings } from './health.ts';

/** Stale claims are taken from the tasks on the page; the others are findings of `doctor`, such as a broken chain of the log. */
export function WarningList({ tasks }: { tasks: Map<string, IndexTask> }) {
  const findings = useFindings();
  const stale = [...tasks.values()].flatMap(({ id, claim }) =>
    claim && (claim.state === 'expired' || claim.state === 'away') ? { id, claim } : [],
  );
  if (findings.length + stale.length === 0) return null;
  return (
    <Panel title="Warnings" count={findings.length + stale.length}>
      <ul class="rows">
        {findings.map(({ check, severity, message, fix }) => (
          <li key={check + message} class={`row warning-row ${severity}`}>
            <Icon name="warning" />
            <span class="text">{message}</span>
            <span class="row-end">
              <CopyCommand command={fix} />
            </span>
          </li>
        ))}
        {stale.map(({ id, claim }) => (
          <li key={id} class="row warning-row warning" data-nav>
            <Icon name="warning" />
            <TaskLink id={id} />
            <span class="row-end muted">
              <span class="line">
                {claim.state === 'away' ? `its agent ${claim.agent} is gone` : `the claim of ${claim.agent} expired`}
              </span>
              {claim.lastSeen && <TimeAgo time={claim.lastSeen} />}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
