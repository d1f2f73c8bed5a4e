import type { App } from '../call-context.ts';

/** Reads the last entry of the log. Every write appends one, so an unchanged head means that nothing has changed. */
export const readLogHead = async ({ openStore }: App): Promise<{ seq: number; hash: string }> =>
  (await (await openStore('read')).read(({ audit }) => audit.getHead())) ?? { seq: 0, hash: '' };
