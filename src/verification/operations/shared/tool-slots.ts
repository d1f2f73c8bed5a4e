let running = 0;
const waiting: (() => void)[] = [];

/** Runs `work` while this process runs at most `max` tools; further calls wait in order. 0 means no limit. Returns undefined if the
 *  caller stopped waiting before its turn. */
export async function withToolSlot<T>(max: number, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  if (max > 0 && running >= max) {
    if (!(await waitForSlot(signal))) return undefined;
  } else running++;
  try {
    return await work();
  } finally {
    // The slot passes to the next caller, so that a new call cannot overtake the queue.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

const waitForSlot = (signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const start = (): void => {
      signal.removeEventListener('abort', leave);
      resolve(true);
    };
    function leave(): void {
      waiting.splice(waiting.indexOf(start), 1);
      resolve(false);
    }
    signal.addEventListener('abort', leave, { once: true });
    waiting.push(start);
  });
