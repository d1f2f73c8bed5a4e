import type { App, Envelope, Reply } from '#dispatch/dispatch.ts';
import type { FailedCallOrigin } from './cli/error-calls.ts';

/** Returns the answer for a client that may have no shell: each command in it also as a call. Most answers name no command and load nothing. */
export async function withCalls(
  app: Pick<App, 'registry'>,
  reply: Pick<Reply, 'envelope' | 'error'>,
  origin: FailedCallOrigin,
): Promise<Envelope> {
  if (reply.envelope.success && reply.envelope.alternatives === undefined) return reply.envelope;
  return (await import('./cli/error-calls.ts')).addCalls(app, reply, origin);
}
