import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';

const lockPath = 'lock';
/** A lock of another host, whose processes cannot be seen, counts for this long. */
const maxForeignLockMs = 60 * 60_000;

/** Runs of this process, because they all have its key. */
const ownRuns = new Set<string>();

/** Runs `work` while no other sync of the repository runs on this store: two of them would create the same issue or comment twice. The lock
 *  of a process that was killed does not count. */
export async function withGithubLock<T>(ctx: JobContext, repo: string, work: () => Promise<T>): Promise<T> {
  const { isProcessRunning, getProcessKey } = await ctx.platform.loadProcesses();
  const lock = { process: getProcessKey(), run: ctx.platform.randomHex(12), at: ctx.now };
  const isHeld = (text: string): boolean => {
    const held = JSON.parse(text) as typeof lock;
    if (held.process === lock.process) return ownRuns.has(held.run);
    return isProcessRunning(held.process) ?? Date.parse(ctx.now) - Date.parse(held.at) < maxForeignLockMs;
  };
  await ctx.write(async ({ github }) => {
    const held = (await github.list(repo)).get(lockPath)?.body;
    if (held !== undefined && isHeld(held))
      throw new CleoError('E_GITHUB_BUSY', {
        repo,
        fix: ctx.commandWith({}),
        manual: 'Run the command again when the other sync has ended',
      });
    await github.save(repo, [{ path: lockPath, body: JSON.stringify(lock) }]);
  });
  ownRuns.add(lock.run);
  try {
    return await work();
  } finally {
    ownRuns.delete(lock.run);
    await ctx.write(({ github }) => github.remove(repo, [lockPath]));
  }
}
