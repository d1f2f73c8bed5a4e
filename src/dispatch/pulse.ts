import type { House } from './work.ts';

/** The end of the log, which every write moves: whoever has seen it knows whether anything has happened since. One short read. */
export const pulseOf = async ({ openStore }: House): Promise<{ seq: number; hash: string }> =>
  (await (await openStore('read')).read(({ audit }) => audit.head())) ?? { seq: 0, hash: '' };
