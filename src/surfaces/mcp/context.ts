import type { Caller } from '#core/model/audit.ts';
import type { Call } from '#dispatch/call-context.ts';
import { type App, dispatch, type Envelope, type Reply } from '#dispatch/dispatch.ts';
import type { LastResort } from '../last-resort.ts';

/** The context of an MCP server. Calls without an agent are made in the name of the token, if there is one. */
export interface McpContext {
  app: App;
  token?: NonNullable<Call['token']>;
  /** The session that each agent of this connection has read in an answer, so that it is reported only when it changes. */
  knownSessions?: Map<string, string>;
  /** Called after every answer with its caller; the stdio server renews the claims of these callers. */
  onAnswer?(envelope: Envelope, caller: Caller | undefined): void;
  guard?: LastResort['guard'];
}

type McpCall = Pick<Call, 'operation' | 'params'> & Partial<Call>;

export async function callOperation({ app, token, onAnswer, guard }: McpContext, call: McpCall): Promise<Reply> {
  const run = (): Promise<Reply> => dispatch(app, { gateway: 'cleo_query', ...(token ? { token } : {}), ...call });
  const reply = await (guard ? guard(run) : run());
  onAnswer?.(reply.envelope, reply.caller);
  return reply;
}

export const hasOperation = ({ app }: McpContext, operation: string): boolean => app.registry.find(operation) !== undefined;
