import { AgentChip } from '../../components/agent-chip.tsx';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Icon } from '../../components/icon.tsx';
import { MoreLink } from '../../components/more-link.tsx';
import { Panel } from '../../components/panel.tsx';
import { SessionLink } from '../../components/session-status.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useCanWrite } from '../../state/actions.ts';
import { takeOverTask } from '../../state/task-actions.ts';
import type { IndexTask } from '../../state/task-index.ts';
import { useQuery } from '../../state/use-query.ts';

const maxShown = 40;

type HeldTask = IndexTask & { claim: NonNullable<IndexTask['claim']> };

/** Active tasks by agent, and sessions in which no task is held. */
export function WorkingList({ tasks }: { tasks: Map<string, IndexTask> }) {
  const held = [...tasks.values()].filter((task): task is HeldTask => task.claim !== undefined).sort(compareClaims);
  const unheld = [...tasks.values()].filter(({ status, claim }) => status === 'active' && !claim);
  const { data } = useQuery(
    'session.list',
    { status: 'active', limit: 50 },
    { isAffected: ({ operation }) => operation.startsWith('session.') },
  );
  const ttlMinutes = useQuery('admin.config.get', { key: 'claims.ttlMinutes' }).data?.value;
  const idle = (data?.sessions ?? []).filter(({ id }) => !held.some(({ claim }) => claim.session === id));
  const count = held.length + unheld.length;
  return (
    <Panel title="At work" count={count}>
      {data && count + idle.length === 0 && (
        <p class="panel-none">
          No agent works on a task. An agent takes one with <CopyCommand command="cleo next --claim" />
        </p>
      )}
      <ul class="rows">
        {held.slice(0, maxShown).map((task) => (
          <WorkingRow
            key={task.id}
            task={task}
            sessionName={data?.sessions.find(({ id }) => id === task.claim.session)?.name}
            lastSeen={findLastSeen(task.claim, ttlMinutes)}
          />
        ))}
        {unheld.slice(0, maxShown).map(({ id }) => (
          <li key={id} class="row" data-nav>
            <TaskLink id={id} />
            <span class="row-end muted">active, held by no agent</span>
          </li>
        ))}
        {idle.map(({ id, name, agent, scope, startedAt }) => (
          <li key={id} class="row" data-nav>
            <Icon name="person" />
            <span class="line">
              {agent} in <SessionLink id={id} name={name} />
            </span>
            <span class="row-end muted">
              {scope} · no task · <TimeAgo time={startedAt} />
            </span>
          </li>
        ))}
      </ul>
      <MoreLink
        count={Math.max(0, held.length - maxShown) + Math.max(0, unheld.length - maxShown)}
        noun="active tasks"
        href="/board?column=active"
      />
    </Panel>
  );
}

const absenceOrder = { expired: 0, away: 1, silent: 2, present: 3 };
const compareClaims = (a: HeldTask, b: HeldTask): number =>
  absenceOrder[a.claim.state ?? 'present'] - absenceOrder[b.claim.state ?? 'present'] || (a.claim.since < b.claim.since ? -1 : 1);

/** One held task: its holder, since when, and the last sign of life of the holder. */
function WorkingRow({ task, sessionName, lastSeen }: { task: HeldTask; sessionName: string | undefined; lastSeen: string | undefined }) {
  const canWrite = useCanWrite();
  const { id, claim } = task;
  return (
    <li class="row" data-nav>
      <span class="row-agent">
        <AgentChip claim={claim} />
      </span>
      <TaskLink id={id} />
      <span class="row-end muted">
        {claim.session && <SessionLink id={claim.session} name={sessionName} />}
        <span class="row-times">
          since <TimeAgo time={claim.since} />
          {lastSeen && (
            <>
              , seen <TimeAgo time={lastSeen} />
            </>
          )}
        </span>
        {claim.state && (
          <button type="button" class="button small" disabled={!canWrite} onClick={() => void takeOverTask(id)}>
            Take over
          </button>
        )}
      </span>
    </li>
  );
}

/** The last call of a holder renewed its claim. The end of the claim follows from it. */
function findLastSeen({ lastSeen, until }: HeldTask['claim'], ttlMinutes: unknown): string | undefined {
  if (lastSeen) return lastSeen;
  return typeof ttlMinutes === 'number' ? new Date(Date.parse(until) - ttlMinutes * 60_000).toISOString() : undefined;
}
