import type { CallIdentity, CallReply } from '#core/job-call.ts';
import { toTokenAgent } from '#core/rules/token-agent.ts';
import { defined } from '#lib/collections.ts';
import type { CallContext } from './call-context.ts';
import { dispatch } from './dispatch.ts';

/** Makes a call for a job that is running, in its process and with its stores. */
export async function callNested(
  { app, call, ownToken }: CallContext,
  operation: string,
  params: Record<string, unknown>,
  { folder, agent, session, signal }: CallIdentity = {},
): Promise<CallReply> {
  const { platform } = app;
  const nested = folder === undefined ? app : { ...app, platform: { ...platform, ...(await platform.atFolder(folder)) } };
  const { gateway, token, page } = call;
  // Agents of a client have names below that of its token.
  const named = agent !== undefined && ownToken ? toTokenAgent(ownToken, agent) : agent;
  const { envelope, exitCode, error } = await dispatch(nested, {
    operation,
    params,
    gateway,
    ...defined({ agent: named ?? call.agent, session: session ?? call.session, token, page, signal: signal ?? call.signal }),
  });
  const { _meta, success: _, data: __, error: ___, ...result } = envelope;
  return { result, exitCode, warnings: _meta.warnings ?? [], ...defined({ error }) };
}
