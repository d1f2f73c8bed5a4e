import { canonicalId, type Status } from '#core/model/scalars.ts';
import { waitPrefix } from '#tasks/rules/wait-text.ts';
import { type FarDepend, farName, projectName } from '../model/nexus.ts';

const mostNamed = 8;

/** Whether a row says what it should. Those of another project's store may say anything. */
export const isSound = ({ project, farId }: FarDepend): boolean => projectName.test(project) && canonicalId(farId) === farId;

/** What is not done, as far as anyone knows; a task that is gone is not done either. */
export const unmet = (rows: FarDepend[]): FarDepend[] => rows.filter(({ farStatus }) => farStatus !== 'done');

export const farEnd = ({ project, farId }: FarDepend): string => farName({ project, id: farId });

/** Why a task is blocked that waits for other projects; undefined where it does not. */
export function waitText(rows: FarDepend[]): string | undefined {
  const names = unmet(rows).map(farEnd).sort();
  if (names.length === 0) return undefined;
  const more = names.length - mostNamed;
  return `${waitPrefix}${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export type Settled =
  | { is: 'blocked' | 'reworded'; blockedBy: string }
  | { is: 'freed' }
  /** Somebody works on it although it waits. */
  | { is: 'ahead' }
  | { is: 'same' };

/** What becomes of a task when the tasks of other projects that it waits for are known anew. It is blocked while one of them is not done,
 *  and free again once all are. A block that somebody else set or reworded is theirs to take away, a task that somebody has started
 *  is left to them. */
export function settle(task: { status: Status; blockedBy?: string }, before: FarDepend[], after: FarDepend[]): Settled {
  const reason = waitText(after);
  const isOurs = task.status === 'blocked' && task.blockedBy !== undefined && task.blockedBy === waitText(before);
  if (reason === undefined) return isOurs ? { is: 'freed' } : { is: 'same' };
  if (task.status === 'pending') return { is: 'blocked', blockedBy: reason };
  if (task.status === 'active') return { is: 'ahead' };
  return isOurs && task.blockedBy !== reason ? { is: 'reworded', blockedBy: reason } : { is: 'same' };
}
