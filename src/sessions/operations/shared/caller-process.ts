import type { QueryContext } from '#core/define.ts';

/** Finds the client process that a call comes from, also for an agent that is named outright; `Caller.process` leaves those out, because
 *  several agents of one client hold different tasks. Undefined for HTTP, and for a shell that no known client started. */
export async function findCallerProcess({
  platform,
  caller,
  gateway,
  token,
}: Pick<QueryContext, 'platform' | 'caller' | 'gateway' | 'token'>): Promise<string | undefined> {
  if (caller.process !== undefined) return caller.process;
  if ((token && !token.isClient) || gateway === 'http' || platform.identity.kind === 'shared') return undefined;
  return (await platform.loadProcesses()).findClientProcess(gateway !== 'cli')?.key;
}
