import type { AvailableWork } from '#core/define.ts';

/** The outcome of a repeated call: the ids that it changed, or nothing for this caller, or a store that did not answer. */
export type AttemptResult = { taken: string[] } | 'nothing' | 'failed';

export interface Waiter {
  /** Repeats the call. */
  attempt(): Promise<AttemptResult>;
}

export interface WaitQueue {
  /** Adds a caller behind those that wait already. */
  enter(waiter: Waiter): void;
  leave(waiter: Waiter): void;
  /** Looks for work now. These ids were changed since the last time; undefined if that is not known. */
  check(changedIds: Iterable<string> | undefined): void;
  stop(): void;
}

interface WaitState {
  isBusy: boolean;
  /** The work that the caller is being tried for. It may get other work. */
  reservedId?: string | undefined;
  /** The last search for work before the latest attempt that got nothing. */
  triedSearch: number;
}

/** Callers that are tried at the same time. Each of them writes, so that more would only wait for each other and delay other writers. */
const maxAttempts = 8;
const retryMs = 1000;

/** Wakes as many callers as there is work, oldest first. One search serves all of them. A caller that gets nothing is not tried again
 *  before other work appears: the work is outside its scope, or assigned to others. */
export function createWaitQueue(find: () => Promise<AvailableWork>): WaitQueue {
  const waiters = new Map<Waiter, WaitState>();
  /** Available work, with the search that found it first, or again after a change. */
  let work = new Map<string, number>();
  /** Work that callers are being tried for. */
  const reserved = new Map<string, WaitState>();
  let changed = new Set<string>();
  let taken = new Set<string>();
  let search = 0;
  let isSearching = false;
  let isWanted = false;
  let timer: NodeJS.Timeout | undefined;

  const searchOnce = async (): Promise<void> => {
    const known = changed;
    changed = new Set();
    taken = new Set();
    const now = ++search;
    const { ids, recheckAfterMs } = await find();
    // Work that was taken while the store was read may be in the answer.
    const current = ids.filter((id) => !taken.has(id));
    work = new Map(current.map((id) => [id, known.has(id) ? now : (work.get(id) ?? now)]));
    schedule(recheckAfterMs);
    wakeWaiters();
  };
  const run = async (): Promise<void> => {
    try {
      while (isWanted && waiters.size > 0) {
        isWanted = false;
        await searchOnce();
      }
    } catch {
      // The store cannot be read now.
      schedule(retryMs);
    } finally {
      isSearching = false;
    }
  };
  const startSearch = (): void => {
    isWanted = true;
    if (isSearching || waiters.size === 0) return;
    isSearching = true;
    clearTimeout(timer);
    void run();
  };
  const schedule = (delayMs: number | undefined): void => {
    clearTimeout(timer);
    // The longest delay that Node accepts. It also keeps the process alive.
    if (waiters.size > 0) timer = setTimeout(startSearch, Math.min(delayMs ?? maxDelayMs, maxDelayMs));
  };
  const wakeWaiters = (): void => {
    let attempts = reserved.size;
    const open = [...work].filter(([id]) => !reserved.has(id)).sort((a, b) => a[1] - b[1]);
    for (const [waiter, state] of waiters) {
      const newest = open.at(-1);
      if (!newest || attempts >= maxAttempts) return;
      const [id, foundBy] = newest;
      if (state.isBusy || foundBy <= state.triedSearch) continue;
      open.pop();
      attempts++;
      void tryWaiter(waiter, state, id);
    }
  };
  const reserve = (id: string, state: WaitState): void => {
    reserved.set(id, state);
    state.reservedId = id;
  };
  /** Gives the work back. A caller that got the work of another one leaves its own to it, so that nobody is woken for it. */
  const release = (state: WaitState, takenIds: string[]): void => {
    const own = state.reservedId;
    if (own !== undefined) reserved.delete(own);
    state.reservedId = undefined;
    const other = takenIds.map((id) => reserved.get(id)).find(Boolean);
    for (const id of takenIds) reserved.delete(id);
    if (other && own !== undefined && !takenIds.includes(own)) reserve(own, other);
  };
  const tryWaiter = async (waiter: Waiter, state: WaitState, id: string): Promise<void> => {
    const since = search;
    state.isBusy = true;
    reserve(id, state);
    const result = await waiter.attempt();
    release(state, typeof result === 'object' ? result.taken : []);
    if (result === 'failed') {
      setTimeout(() => {
        state.isBusy = false;
        startSearch();
      }, retryMs).unref();
    } else if (result === 'nothing') {
      state.isBusy = false;
      state.triedSearch = since;
    } else {
      waiters.delete(waiter);
      for (const each of result.taken) {
        taken.add(each);
        work.delete(each);
      }
    }
    wakeWaiters();
  };
  return {
    enter(waiter) {
      waiters.set(waiter, { isBusy: false, triedSearch: 0 });
      startSearch();
    },
    leave(waiter) {
      waiters.delete(waiter);
      if (waiters.size === 0) clearTimeout(timer);
    },
    check(changedIds) {
      if (changedIds) for (const id of changedIds) changed.add(id);
      else work.clear();
      startSearch();
    },
    stop() {
      waiters.clear();
      clearTimeout(timer);
    },
  };
}

const maxDelayMs = 2 ** 31 - 1;
