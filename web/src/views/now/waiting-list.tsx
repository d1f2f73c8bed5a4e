import { useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { MoreLink } from '../../components/more-link.tsx';
import { Panel } from '../../components/panel.tsx';
import { ReviewDialog } from '../../components/review-dialog.tsx';
import { StateIcon } from '../../components/state-badge.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { getRecordUrl } from '../../routes.ts';
import { runAction, useCanWrite } from '../../state/actions.ts';
import type { Change } from '../../state/connection.ts';
import { moveTasks } from '../../state/task-actions.ts';
import { type IndexTask, useIndexTask } from '../../state/task-index.ts';
import { useQuery } from '../../state/use-query.ts';

const maxShown = 12;

/** Exhausted rounds, reviews, decisions to confirm, and blocked tasks: what only a person can move on. */
export function WaitingList({ tasks, isHiddenIfEmpty = false }: { tasks: Map<string, IndexTask>; isHiddenIfEmpty?: boolean }) {
  const reviewQuery = useQuery('review.list', { limit: maxShown }, { refreshMs: 15_000 });
  const decisionQuery = useQuery('memory.find', { type: 'decision', state: 'proposed', limit: maxShown });
  const summaryQuery = useQuery('admin.dash', { limit: maxShown + 1 }, { isAffected: changesRounds });
  const [reviewPage, decisionPage, summary] = [reviewQuery.data, decisionQuery.data, summaryQuery.data?.summary];
  const isComplete = [reviewQuery, decisionQuery, summaryQuery].every(({ data, isLoading }) => data !== undefined || !isLoading);
  const reviews = reviewPage?.reviews ?? [];
  const decisions = decisionPage?.memories ?? [];
  const exhausted = summary?.exhaustedRounds ?? [];
  const reviewCount = reviewPage?._meta.truncated?.total ?? reviews.length;
  const decisionCount = decisionPage?._meta.truncated?.total ?? decisions.length;
  const [resolved, setResolved] = useState<string | undefined>();
  const blocked = [...tasks.values()].filter(({ status }) => status === 'blocked');
  const canWrite = useCanWrite();
  const count = exhausted.length + reviewCount + decisionCount + blocked.length;
  if (count === 0 && isHiddenIfEmpty) return null;
  return (
    <Panel title="Waits for a person" count={count}>
      {count === 0 && isComplete && <p class="panel-none">Nothing waits for you.</p>}
      <ul class="rows">
        {exhausted.slice(0, maxShown).map(({ id, failedRounds }) => (
          <li key={id} class="row" data-nav>
            <Icon name="warning" />
            <span class="row-kind">Evidence</span>
            <TaskLink id={id} />
            <span class="row-end muted">
              <span class="line">rejected in {failedRounds} rounds, takes no more</span>
              <BlockButton id={id} failedRounds={failedRounds} />
            </span>
          </li>
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
        {blocked.slice(0, maxShown).map((task) => (
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
      <MoreLink count={reviewCount - reviews.length} noun="reviews" href="/runs" />
      <MoreLink count={decisionCount - decisions.length} noun="decisions" href="/memory?kind=decision&state=proposed" />
      <MoreLink count={blocked.length - maxShown} noun="blocked tasks" href="/board?column=blocked" />
      {resolved && <ReviewDialog review={resolved} onClose={() => setResolved(undefined)} />}
    </Panel>
  );
}

/** Blocks a task that takes no more evidence, so that agents leave it alone until a person has looked at it. */
function BlockButton({ id, failedRounds }: { id: string; failedRounds: number }) {
  const canWrite = useCanWrite();
  const task = useIndexTask(id);
  if (task?.status === 'blocked') return null;
  const block = () =>
    runAction('tasks.update', { taskId: id, blockedBy: `verification failed ${failedRounds} times` }, `Blocked ${id} until you decide`);
  return (
    <button type="button" class="button small" disabled={!canWrite} onClick={() => void block()}>
      Block
    </button>
  );
}

/** Evidence, verdicts, the limit of rounds, and what ends a task. */
const changesRounds = ({ operation }: Change): boolean =>
  /^(verify|validator|admin)\.|^tasks\.(complete|cancel|delete|restore|reopen|archive|undo)/.test(operation);
