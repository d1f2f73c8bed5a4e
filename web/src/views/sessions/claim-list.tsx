import type { Result } from '../../api/operations.generated.ts';
import { AgentChip } from '../../components/agent-chip.tsx';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useCanWrite } from '../../state/actions.ts';
import { takeOverTask } from '../../state/task-actions.ts';

type Claim = Omit<Result<'orchestrate.status'>['running'][number], 'title' | 'until'> & { title?: string; until?: string };

/** The tasks that are held now; undefined while they are read. A holder that does not answer can be replaced. */
export function ClaimList({ claims }: { claims: Claim[] | undefined }) {
  const canWrite = useCanWrite();
  return (
    <Panel title="Claims now" count={claims?.length ?? 0}>
      {claims?.length === 0 && (
        <p class="panel-none">
          No task is held. An agent takes one with <CopyCommand command="cleo next --claim" />
        </p>
      )}
      <ul class="rows">
        {claims?.map(({ taskId, title, agent, since, until, state, lastSeen }) => (
          <li key={taskId} class="row claim-row" data-nav>
            <span class="row-agent">
              <AgentChip claim={{ agent, since, ...(state ? { state } : {}), ...(lastSeen ? { lastSeen } : {}) }} />
            </span>
            <TaskLink id={taskId} title={title} />
            <span class="row-end muted">
              <span title={until && `The claim expires at ${until.slice(0, 16).replace('T', ' ')} UTC`}>
                <TimeAgo time={since} />
              </span>
              {state && state !== 'present' && (
                <button type="button" class="button small" disabled={!canWrite} onClick={() => void takeOverTask(taskId)}>
                  Take over
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
