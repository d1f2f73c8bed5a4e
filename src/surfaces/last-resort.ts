import { AsyncLocalStorage } from 'node:async_hooks';

/** The process stops if more exceptions than this escape in a minute: the fault is then permanent, and the client starts a new process. */
const maxPerMinute = 20;

/** Handles exceptions that no call has caught. A mutation is one transaction, which an exception rolls back, so continuing is safe. */
export interface LastResort {
  /** Runs `work` for a request. It also rejects if an exception escapes from a callback or a timer that `work` has started. */
  guard<T>(work: () => Promise<T>): Promise<T>;
  /** Reports an exception that nothing has caught, and fails its request. */
  handle(error: unknown, nowMs: number): void;
  /** True after too many exceptions. */
  hasGivenUp(): boolean;
}

export function createLastResort(report: (error: unknown) => void, giveUp: () => void): LastResort {
  const currentRequest = new AsyncLocalStorage<(error: unknown) => void>();
  let guarded = 0;
  let recent: number[] = [];
  let isOver = false;
  return {
    async guard(work) {
      guarded++;
      try {
        return await new Promise((resolve, reject) => currentRequest.run(reject, () => void work().then(resolve, reject)));
      } finally {
        guarded--;
        // Up to Node 22 each promise of the process takes longer while it is in use, a ninth of the time of a busy server.
        if (guarded === 0) currentRequest.disable();
      }
    },
    handle(error, nowMs) {
      report(error);
      currentRequest.getStore()?.(error);
      recent = [...recent.filter((at) => nowMs - at < 60_000), nowMs];
      if (recent.length <= maxPerMinute || isOver) return;
      isOver = true;
      giveUp();
    },
    hasGivenUp: () => isOver,
  };
}
