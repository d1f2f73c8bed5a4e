import { useState } from 'preact/hooks';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useParam } from '../../router.ts';
import { useQuery } from '../../state/use-query.ts';

const pageSize = 100;

/** All releases, the newest first. */
export function ReleaseList() {
  const [limit, setLimit] = useState(pageSize);
  const [opened, setOpened] = useParam('release');
  const { data, failure, reload } = useQuery('release.list', { limit });
  if (failure && !data) return <ErrorNote failure={failure} onRetry={reload} />;
  if (!data) return <LoadingLines />;
  const { releases } = data;
  if (releases.length === 0)
    return (
      <EmptyState title="No release yet" commands={['cleo release create v1.0.0', 'cleo release ship v1.0.0']}>
        A release collects the tasks that are done. At a terminal:
      </EmptyState>
    );
  return (
    <div class="view log-releases">
      <ul class="rows panel">
        {releases.map(({ version, status, epicId, taskCount, createdAt, shippedAt, commit }) => (
          <li key={version} class="row" data-nav>
            <Icon name={status === 'shipped' ? 'check' : 'clock'} />
            <button type="button" class="log-operation" onClick={() => setOpened(version)}>
              {version}
            </button>
            <span class="muted">{status}</span>
            {epicId && <TaskLink id={epicId} />}
            <span class="row-end muted">
              {taskCount} {taskCount === 1 ? 'task' : 'tasks'}
              {commit && <code>{commit.slice(0, 10)}</code>}
              <TimeAgo time={shippedAt ?? createdAt} />
            </span>
          </li>
        ))}
      </ul>
      {(data._meta.truncated?.total ?? 0) > releases.length && (
        <p class="panel-none">
          <button type="button" class="button small" onClick={() => setLimit(limit + 4 * pageSize)}>
            Show more
          </button>
        </p>
      )}
      {opened && <ReleaseDialog version={opened} onClose={() => setOpened('')} />}
    </div>
  );
}

/** One release: its tasks, the steps of shipping it, and its origin. */
function ReleaseDialog({ version, onClose }: { version: string; onClose: () => void }) {
  const { data, failure } = useQuery('release.show', { version });
  const release = data?.release;
  return (
    <Dialog title={`Release ${version}`} onClose={onClose} className="log-dialog">
      {failure && <ErrorNote failure={failure} />}
      {!release && !failure && <LoadingLines />}
      {release && (
        <>
          <p class="text muted">
            Created by {release.createdBy} <TimeAgo time={release.createdAt} />
            {release.tag && `, tag ${release.tag}`}
            {release.shippedAt && (
              <>
                , shipped <TimeAgo time={release.shippedAt} />
              </>
            )}
          </p>
          {release.status !== 'shipped' && <CopyCommand command={`cleo release ship ${release.version}`} />}
          <h3>{release.tasks.length === 0 ? 'No tasks' : 'Tasks'}</h3>
          <ul class="release-tasks" aria-label="Tasks">
            {release.tasks.map(({ id, title }) => (
              <li key={id}>
                <TaskLink id={id} title={title} />
              </li>
            ))}
          </ul>
          {release.steps.length > 0 && (
            <>
              <h3>Steps</h3>
              <ol class="release-steps" aria-label="Steps">
                {release.steps.map(({ step, state, at, what }) => (
                  <li key={step + state}>
                    <Icon name={state === 'done' ? 'check' : 'clock'} size={14} /> <strong>{step}</strong>
                    <span class="text muted">{what ?? state}</span>
                    <span class="muted">
                      <TimeAgo time={at} />
                    </span>
                  </li>
                ))}
              </ol>
            </>
          )}
          {release.provenance && (
            <>
              <h3>Origin</h3>
              <ul class="release-origin" aria-label="Origin">
                <li>
                  <strong>commit</strong> <code class="text">{release.provenance.commit}</code>
                </li>
                {release.provenance.artifacts.map(({ name, sha256 }) => (
                  <li key={name}>
                    <strong class="text">{name}</strong> <code class="text">{sha256}</code>
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </Dialog>
  );
}
