import type { HistogramValues } from '#lib/statistics.ts';

/** How much the connections of a server to its store are used. */
export interface StoreUsage {
  /** The calls that use a connection, and those that wait for one or for the write lock. */
  connections: { use: 'read' | 'write'; max: number; active: number; waiting: number }[];
  /** The time that writes waited, in seconds. */
  lockWait: HistogramValues;
}
