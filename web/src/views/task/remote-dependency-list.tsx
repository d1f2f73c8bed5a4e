import type { Result } from '../../api/operations.generated.ts';
import { StateIcon } from '../../components/state-badge.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { runAction } from '../../state/actions.ts';
import { RemoveButton } from './record-row.tsx';

export type RemoteTask = NonNullable<Result<'tasks.deps'>['deps']['remote']>[number];

const remotePattern = /^([a-z0-9][a-z0-9._-]*:T?\d+)\b/i;

/** Returns the id of a task of another project, such as `web:T003`, at the beginning of a text. */
export const extractRemoteId = (text: string): string | undefined => remotePattern.exec(text)?.[1];

export const addRemoteDependency = async (taskId: string, on: string): Promise<boolean> => {
  const terminal = {
    title: `${taskId} depends on ${on}`,
    message: 'Another project is opened, which a page may not do.',
    command: `cleo nexus deps add ${taskId} ${on}`,
  };
  return (await runAction('nexus.deps.add', { taskId, on }, `${taskId} depends on ${on}`, { terminal })) !== undefined;
};

const removeRemoteDependency = (taskId: string, on: string) =>
  runAction('nexus.deps.remove', { taskId, on }, `${taskId} no longer depends on ${on}`);

/** Tasks of other projects that this one depends on, with the status of the last sync. */
export const RemoteDependencyList = ({ taskId, tasks, canChange }: { taskId: string; tasks: RemoteTask[]; canChange: boolean }) => (
  <div class="side-group">
    <h3>In other projects</h3>
    <ul>
      {tasks.map(({ project, id, title, status, seenAt }) => (
        <li key={`${project}:${id}`} class="relation">
          <span class="side-row">
            <span class="task-link" title={title}>
              {status && <StateIcon status={status} />}
              <span class="task-id">{`${project}:${id}`}</span>
              <span class="line">{title}</span>
            </span>
            {canChange && (
              <RemoveButton
                label={`Remove the dependency on ${project}:${id}`}
                onRemove={() => void removeRemoteDependency(taskId, `${project}:${id}`)}
              />
            )}
          </span>
          <span class="muted">
            {status ?? 'missing'}, seen <TimeAgo time={seenAt} />
          </span>
        </li>
      ))}
    </ul>
  </div>
);
