import type { Call } from '#dispatch/call-context.ts';
import { type App, dispatch, type Reply } from '#dispatch/dispatch.ts';
import type { Envelope } from '#dispatch/envelope.ts';

/** What stands behind a server: the house, and who it speaks for where a call names nobody. */
export interface McpContext {
  app: App;
  token?: NonNullable<Call['token']>;
  /** Told of every answer, with the agent that asked; a server that lives on keeps that agent's claims alive. */
  onAnswer?(envelope: Envelope, agent: string | undefined): void;
}

export type McpCall = Pick<Call, 'operation' | 'params'> & Partial<Call>;

/** One call through the one door. */
export async function callOperation({ app, token, onAnswer: answered }: McpContext, asked: McpCall): Promise<Reply> {
  const reply = await dispatch(app, { gateway: 'cleo_query', ...(token ? { token } : {}), ...asked });
  answered?.(reply.envelope, asked.agent);
  return reply;
}

/** Whether the catalog has it, under any of its names. */
export const hasOperation = ({ app }: McpContext, operation: string): boolean =>
  app.registry.entries.some((entry) => entry.name === operation || entry.aliases.includes(operation));
