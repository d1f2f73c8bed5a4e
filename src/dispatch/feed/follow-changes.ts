import type { LogFeed } from './log-feed.ts';

/** Waits for changes of the log, one after another. A change between two waits ends the next one at once. */
export interface ChangeFollower {
  /** Resolves after a change, after a failed read of the log, and after `timeoutMs`. */
  wait(timeoutMs?: number): Promise<void>;
  /** Ends the current wait, or the next one. */
  ring(): void;
  close(): void;
}

export function followChanges(feed: LogFeed): ChangeFollower {
  let hasRung = false;
  let wake: (() => void) | undefined;
  const ring = (): void => {
    hasRung = true;
    wake?.();
  };
  const unsubscribe = feed.subscribe({ onChange: ring, onReset: ring, onError: ring });
  return {
    ring,
    wait: (timeoutMs = maxWaitMs) =>
      new Promise((resolve) => {
        // The timer also keeps the process alive.
        const timer = setTimeout(() => wake?.(), hasRung ? 0 : timeoutMs);
        wake = () => {
          clearTimeout(timer);
          wake = undefined;
          hasRung = false;
          resolve();
        };
      }),
    close: unsubscribe,
  };
}

const maxWaitMs = 2 ** 31 - 1;
