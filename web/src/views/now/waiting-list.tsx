import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { ReviewDialog } from '../../components/review-dialog.tsx';
import { StateIcon } from '../../components/state-badge.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { getRecordUrl } from '../../routes.ts';
import { runAction, useCanWrite } from '../../state/actions.ts';
import { moveTasks } from '../../state/task-actions.ts';
import type { IndexTask } from '../../state/task-index.ts';
import { createIdCheck, useQuery } from '../../state/use-query.ts';

const maxBlocked = 20;
/** Active tasks whose rounds of verification are read. */
const maxVerified = 20;

/** Reviews, decisions to confirm, and blocked tasks: what only a person can move on. */
export function WaitingList({ tasks, isHiddenIfEmpty = false }: { tasks: Map<string, IndexTask>; isHiddenIfEmpty?: boolean }) {
  const reviews = useQuery('review.list', { limit: 20 }, { refreshMs: 15_000 }).data?.reviews ?? [];
  const decisions = useQuery('memory.find', { type: 'decision', state: 'proposed', limit: 20 }).data?.memories ?? [];
  const active = [...tasks.values()].filter(({ status }) => status === 'active').slice(0, maxVerified);
  const [resolved, setResolved] = useState<string | undefined>();
  const blocked = [...tasks.values()].filter(({ status }) => status === 'blocked');
  const canWrite = useCanWrite();
  const [exhausted, setExhausted] = useState<ReadonlySet<string>>(new Set());
  const reportRounds = (id: string, isExhausted: boolean): void =>
    setExhausted((ids) =>
      ids.has(id) === isExhausted ? ids : new Set(isExhausted ? [...ids, id] : [...ids].filter((each) => each !== id)),
    );
  const count = exhausted.size + reviews.length + decisions.length + blocked.length;
  if (count === 0 && isHiddenIfEmpty) return null;
  return (
    <Panel title="Waits for a person" count={count}>
      {count === 0 && <p class="panel-none">Nothing waits for you.</p>}
      <ul class="rows">
        {active.map(({ id }) => (
          <ExhaustedRow key={id} id={id} report={reportRounds} />
        ))}
        {reviews.map(({ id, kind, reason, skill, requestedAt }) => (
          <li key={id} class="row" data-nav>
            <Icon name="edit" />
            <span class="row-kind">Review</span>
            <span class="line" title={reason}>
              {skill ? `${skill}: ` : ''}
              {reason || kind}
            </span>
            <span class="row-end muted">
              <TimeAgo time={requestedAt} />
              <button type="button" class="button small" disabled={!canWrite} onClick={() => setResolved(id)}>
                Resolve
              </button>
            </span>
          </li>
        ))}
        {decisions.map(({ id, title }) => (
          <li key={id} class="row" data-nav>
            <Icon name="edit" />
            <span class="row-kind">Decision</span>
            <a class="line" href={getRecordUrl('memory', id)} title={title}>
              {title}
            </a>
            <span class="row-end muted">
              <span class="mono">{id}</span>
              <button
                type="button"
                class="button small"
                disabled={!canWrite}
                onClick={() => void runAction('memory.confirm', { id }, `Confirmed ${id}`)}
              >
                Confirm
              </button>
            </span>
          </li>
        ))}
        {blocked.slice(0, maxBlocked).map((task) => (
          <li key={task.id} class="row" data-nav>
            <StateIcon status="blocked" />
            <span class="row-kind">Blocked</span>
            <TaskLink id={task.id} />
            <span class="row-end muted">
              <span class="line row-reason" title={task.blockedBy}>
                {task.blockedBy ?? 'no reason given'}
              </span>
              <button type="button" class="button small" disabled={!canWrite} onClick={() => void moveTasks([task], 'pending')}>
                Unblock
              </button>
            </span>
          </li>
        ))}
      </ul>
      {blocked.length > maxBlocked && (
        <p class="panel-none">
          <a href="/board">and {blocked.length - maxBlocked} more blocked tasks</a>
        </p>
      )}
      {resolved && <ReviewDialog review={resolved} onClose={() => setResolved(undefined)} />}
    </Panel>
  );
}

/** A task whose evidence failed in as many rounds as are allowed. */
function ExhaustedRow({ id, report }: { id: string; report: (id: string, isExhausted: boolean) => void }) {
  const verification = useQuery('verify.status', { taskId: id }, { isAffected: createIdCheck(id) }).data?.verification;
  const isExhausted = verification !== undefined && verification.failedRounds >= verification.maxRounds;
  useEffect(() => {
    report(id, isExhausted);
    return () => report(id, false);
  }, [isExhausted]);
  if (!isExhausted) return null;
  return (
    <li class="row" data-nav>
      <Icon name="warning" />
      <span class="row-kind">Evidence</span>
      <TaskLink id={id} />
      <span class="row-end muted">failed in {verification.failedRounds} rounds</span>
    </li>
  );
}
