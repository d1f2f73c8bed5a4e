import type { RunnerPlatform } from '#platform/runner/port.ts';

const waitMs = 5000;

/** Runs `work` under the lock of a run, so that resume, append and repair never write the same run at once. */
export async function withRunLock<T>(platform: RunnerPlatform, runId: string, work: () => T): Promise<T> {
  const lock = await platform.acquireLock(`trace-${runId}`, waitMs);
  try {
    return work();
  } finally {
    lock.release();
  }
}
