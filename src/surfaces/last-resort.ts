import { AsyncLocalStorage } from 'node:async_hooks';

/** After this many escaped exceptions in a minute the process stops: something is broken for good, and its client restarts it. */
const maxPerMinute = 20;

/** Handles exceptions that escaped from every call. A mutation is one transaction, so an exception cannot leave a half of one behind, and
 *  continuing is safe. */
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
  let recent: number[] = [];
  let isOver = false;
  return {
    guard: (work) => new Promise((resolve, reject) => currentRequest.run(reject, () => void work().then(resolve, reject))),
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
