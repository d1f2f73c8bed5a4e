import type { LockHolder } from '../model/lock-holder.ts';

/** Formats who holds the write lock, for messages. */
export function formatLockHolder({ pid, name, user, client, since, state }: LockHolder): string {
  const session = `server process ${pid}${user ? ` of ${user}` : ''}${client ? ` from ${client}` : ''}`;
  const activity = `${since ? ` since ${since}` : ''}${state?.startsWith('idle') ? ', without activity' : ''}`;
  return name ? `${name} (${session})${activity}` : `${session[0]!.toUpperCase()}${session.slice(1)}${activity}`;
}
