import { useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { ReviewDialog } from '../../components/review-dialog.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useCanWrite } from '../../state/actions.ts';
import { useQuery } from '../../state/use-query.ts';

/** Reviews that wait for a person: all of them, or those of one run with the resolved ones. */
export function RunReviews({ run }: { run?: string }) {
  const [opened, setOpened] = useState<string | undefined>();
  const canWrite = useCanWrite();
  const { data } = useQuery('review.list', run ? { run, status: 'all', limit: 100 } : { limit: 100 }, { refreshMs: 15_000 });
  const reviews = data?.reviews ?? [];
  if (reviews.length === 0) return null;
  return (
    <Panel title="Reviews" count={reviews.length}>
      <ul class="rows">
        {reviews.map(({ id, runId, status, phase, skill, reason, kind, requestedAt, resolved, verdict, claimedBy }) => (
          <li key={id} class="row" data-nav>
            <Icon name={status === 'resolved' ? 'check' : 'edit'} />
            <span class="row-kind">{verdict ?? status}</span>
            <span class="line" title={reason}>
              {[phase, skill].filter(Boolean).join(' / ')} {reason || kind}
            </span>
            <span class="row-end muted">
              {claimedBy && <span class="line">claimed by {claimedBy.join(', ')}</span>}
              <span>{resolved} resolved</span>
              {!run && (
                <a class="line" href={`/runs/${encodeURIComponent(runId)}`}>
                  {runId}
                </a>
              )}
              <TimeAgo time={requestedAt} />
              {status !== 'resolved' && (
                <button type="button" class="button small" disabled={!canWrite} onClick={() => setOpened(id)}>
                  Resolve
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {opened && <ReviewDialog review={opened} onClose={() => setOpened(undefined)} />}
    </Panel>
  );
}
