import type { StoreUsage } from '#core/model/store-usage.ts';
import { createHistogram } from '#lib/statistics.ts';
import type { Store } from './port/store.ts';

/** Counts the calls that use a connection or wait for one, and measures how long writes wait: for the connection, and for the write lock
 *  of the project. */
export function trackUsage(store: Store, sizes: { read: number; write: number }): Store {
  const counts = { read: { active: 0, waiting: 0 }, write: { active: 0, waiting: 0 } };
  const lockWait = createHistogram();
  const track = async <S, T>(
    use: 'read' | 'write',
    run: (work: (part: S) => Promise<T>) => Promise<T>,
    work: (part: S) => Promise<T>,
  ): Promise<T> => {
    const count = counts[use];
    const startedAt = performance.now();
    let isActive = false;
    const begin = (): void => {
      // A transaction that is repeated has waited already.
      if (isActive) return;
      isActive = true;
      count.waiting--;
      count.active++;
      if (use === 'write') lockWait.observe((performance.now() - startedAt) / 1000);
    };
    count.waiting++;
    try {
      return await run((part) => {
        begin();
        return work(part);
      });
    } finally {
      if (isActive) count.active--;
      else count.waiting--;
      if (!isActive && use === 'write') lockWait.observe((performance.now() - startedAt) / 1000);
    }
  };
  return {
    ...store,
    read: (work) => track('read', (run) => store.read(run), work),
    write: (stamp, work, sendAhead) => track('write', (run) => store.write(stamp, run, sendAhead), work),
    isWriting: () => counts.write.active + counts.write.waiting > 0,
    getUsage: (): StoreUsage => ({
      connections: (['read', 'write'] as const).map((use) => ({ use, max: sizes[use], ...counts[use] })),
      lockWait: lockWait.values,
    }),
  };
}
