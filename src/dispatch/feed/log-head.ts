import type { App } from '../call-context.ts';

/** Reads the last entry of the log. Every write appends one, so an unchanged head means that nothing has changed. */
export async function readLogHead(app: App): Promise<{ seq: number; hash: string }> {
  if (app.usesServer()) return (await import('../remote/server-feed.ts')).readHeadOfServer(app);
  return (await (await app.openStore('read')).read(({ audit }) => audit.getHead())) ?? { seq: 0, hash: '' };
}
