import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '#lib/collections.ts';
import { createSkillError, reportWriteErrors } from '#runs/errors/skill.ts';
import { createLockClaim, tryLock } from '../lock-claims.ts';
import { monotonicMs } from '../platform.ts';
import { isAlive } from '../process-identity.ts';
import type { LockOptions } from './port.ts';

interface LockFile {
  /** Set if the lock of a dead process was taken over. */
  warning?: string;
  /** Run that the dead process held the lock for. */
  abandoned?: string;
  release(): void;
}

const pollMs = 50;

/** Takes the lock, or throws 75 after `waitMs`. The lock of a process that is dead, or from before the last boot, is taken over. */
export async function acquireLock(
  folder: string,
  name: string,
  waitMs: number,
  { run, signal, fix = 'cleo trace list' }: LockOptions = {},
): Promise<LockFile> {
  const path = join(folder, `${name}.lock`);
  const until = monotonicMs() + waitMs;
  const own = createLockClaim(run);
  let takenOver: Omit<LockFile, 'release'> = {};
  for (;;) {
    reportWriteErrors(folder, 73, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    const attempt = reportWriteErrors(path, 73, () => tryLock(path, own, (holder) => !isAlive(holder)));
    if (attempt.state === 'taken') return { ...takenOver, release: attempt.release };
    if (attempt.state === 'removed') {
      const { dead } = attempt;
      takenOver = {
        warning: `took over the lock of ${dead ? `process ${dead.pid}, which is gone` : 'an unknown process'}`,
        ...defined({ abandoned: dead?.run }),
      };
      continue;
    }
    const { holder } = attempt;
    if (signal?.aborted) throw createSkillError(130, 'the run was cancelled', 'cleo trace list');
    if (monotonicMs() >= until)
      throw createSkillError(75, `another run of it is active${holder ? ` (process ${holder.pid})` : ''}`, fix, {
        ...defined({ pid: holder?.pid, run: holder?.run }),
      });
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
