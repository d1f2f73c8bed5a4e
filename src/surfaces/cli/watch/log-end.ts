import { type App, dispatch } from '#dispatch/dispatch.ts';
import { readLogHead } from '#dispatch/feed/log-head.ts';

/** Reads the last entry of the log, also of a server in front of the store. That shows no hashes, but entries differ in number and time. */
export async function readLogEnd(app: App): Promise<{ seq: number; hash: string }> {
  if (!app.usesServer()) return readLogHead(app);
  const { envelope, error } = await dispatch(app, { operation: 'admin.log', params: { limit: 1, brief: true }, gateway: 'cli' });
  if (error) throw error;
  const [last] = envelope.entries as { seq: number; timestamp: string; operation: string }[];
  return last ? { seq: last.seq, hash: `${last.seq} ${last.timestamp} ${last.operation}` } : { seq: 0, hash: '' };
}
