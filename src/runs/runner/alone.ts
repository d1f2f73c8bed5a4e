import type { Ground } from '#platform/ground-port.ts';

const waitMs = 5000;

/** Nobody else begins to write what is kept of a run meanwhile: neither who goes on with it, nor who tells it something or repairs it. */
export async function aloneWith<T>(ground: Ground, runId: string, work: () => T): Promise<T> {
  const lock = await ground.lock(`trace-${runId}`, waitMs);
  try {
    return work();
  } finally {
    lock.release();
  }
}
