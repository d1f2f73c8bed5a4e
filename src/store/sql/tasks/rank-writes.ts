import type { RankReads, RankWrites } from '../../port/ranks.ts';
import type { Db } from '../sql.ts';
import { createRankReads } from './rank-reads.ts';
import { type RankRefresher, replaceRanks } from './rank-refresher.ts';

/** In a write, ranks are refreshed before they are read. */
export function createRankWrites(
  db: Db,
  { refresh, expectClosing }: Pick<RankRefresher, 'refresh' | 'expectClosing'>,
): RankReads & RankWrites {
  const reads = createRankReads(db);
  const refreshed =
    <A extends unknown[], T>(read: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await refresh();
      return read(...args);
    };
  return {
    listBuckets: refreshed(reads.listBuckets),
    listBest: refreshed(reads.listBest),
    listDue: refreshed(reads.listDue),
    getScoreFacts: refreshed(reads.getScoreFacts),
    listAll: refreshed(reads.listAll),
    readClosing: reads.readClosing,
    expectClosing,
    async replaceAll(ranks) {
      await refresh();
      await replaceRanks(db, ranks);
    },
  };
}
