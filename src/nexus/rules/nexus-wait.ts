import { parseTaskId, type Status } from '#core/model/scalars.ts';
import { waitPrefix } from '#tasks/rules/wait-text.ts';
import { formatRemoteId, projectNamePattern, type RemoteDependency } from '../model/nexus.ts';

const maxNames = 8;

/** Checks a row from the store of another project, which may contain anything. */
export const isValidDependency = ({ project, remoteId }: RemoteDependency): boolean =>
  projectNamePattern.test(project) && parseTaskId(remoteId) === remoteId;

/** Lists the dependencies that were not done at the last sync. A missing task is not done. */
export const listUnmet = (rows: RemoteDependency[]): RemoteDependency[] => rows.filter(({ remoteStatus }) => remoteStatus !== 'done');

export const formatRemoteEnd = ({ project, remoteId }: RemoteDependency): string => formatRemoteId({ project, id: remoteId });

/** Formats the reason of a block by other projects; undefined if nothing blocks the task. */
export function formatWaitReason(rows: RemoteDependency[]): string | undefined {
  const names = listUnmet(rows).map(formatRemoteEnd).sort();
  if (names.length === 0) return undefined;
  const more = names.length - maxNames;
  return `${waitPrefix}${names.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export type WaitTransition =
  | { kind: 'blocked' | 'reworded'; blockedBy: string }
  | { kind: 'freed' }
  /** The task is active although it waits. */
  | { kind: 'ahead' }
  | { kind: 'same' };

/** Decides the new state of a task after the state of its remote dependencies was read. It is blocked until all of them are done. A block
 *  with another reason was set by an agent or a person and stays, and so does the state of an active task. */
export function decideWaitTransition(
  task: { status: Status; blockedBy?: string },
  before: RemoteDependency[],
  after: RemoteDependency[],
): WaitTransition {
  const reason = formatWaitReason(after);
  const isOurs = task.status === 'blocked' && task.blockedBy !== undefined && task.blockedBy === formatWaitReason(before);
  if (reason === undefined) return isOurs ? { kind: 'freed' } : { kind: 'same' };
  if (task.status === 'pending') return { kind: 'blocked', blockedBy: reason };
  if (task.status === 'active') return { kind: 'ahead' };
  return isOurs && task.blockedBy !== reason ? { kind: 'reworded', blockedBy: reason } : { kind: 'same' };
}
