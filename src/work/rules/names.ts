import type { TaskId } from '#core/model/scalars.ts';
import { slugify } from '#lib/slug.ts';

const maxSlugLength = 40;

/** The name of the worktree folder of a task, which is also the last part of its branch. */
export const createWorktreeName = (taskId: TaskId, title: string): string =>
  [taskId, slugify(title, { maxLength: maxSlugLength })].filter(Boolean).join('-');

export const toBranch = (worktreeName: string): string => `cleo/${worktreeName}`;

/** Finds the worktree of a task among the names of folders. The title, and with it the name, may have changed since. */
export const findWorktreeName = (taskId: TaskId, names: string[]): string | undefined =>
  names.find((name) => name === taskId || name.startsWith(`${taskId}-`));

/** The agent that claims tasks for a profile in one slot of one `cleo work`. The agents that do the tasks are spawned by it. */
export const createSlotAgent = (profile: string, workId: string, slot: number): string => `work/${profile}/${workId}/${slot}`;

/** Returns the profile and the process that a slot agent belongs to; undefined for any other agent. On a client of a server its name is
 *  below that of the token. */
export function parseSlotAgent(agent: string): { profile: string; workId: string } | undefined {
  const [, profile, workId] = /(?:^|\/)work\/([\w-]+)\/([\w-]+)\/\d+$/.exec(agent) ?? [];
  return profile !== undefined && workId !== undefined ? { profile, workId } : undefined;
}
