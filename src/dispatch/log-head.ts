import type { App } from './call-context.ts';

/** The end of the log, which every write moves: whoever has seen it knows whether anything has happened since. One short read. */
export const readLogHead = async ({ openStore }: App): Promise<{ seq: number; hash: string }> =>
  (await (await openStore('read')).read(({ audit }) => audit.getHead())) ?? { seq: 0, hash: '' };
