import { dispatch, type House, type Reply } from '#dispatch/dispatch.ts';
import type { Envelope } from '#dispatch/envelope.ts';
import type { Call } from '#dispatch/work.ts';

/** What stands behind a server: the house, and who it speaks for where a call names nobody. */
export interface Desk {
  house: House;
  token?: NonNullable<Call['token']>;
  /** Told of every answer, with the agent that asked; a server that lives on keeps that agent's claims alive. */
  answered?(envelope: Envelope, agent: string | undefined): void;
}

export type Asked = Pick<Call, 'operation' | 'params'> & Partial<Call>;

/** One call through the one door. */
export async function ask({ house, token, answered }: Desk, asked: Asked): Promise<Reply> {
  const reply = await dispatch(house, { gateway: 'cleo_query', ...(token ? { token } : {}), ...asked });
  answered?.(reply.envelope, asked.agent);
  return reply;
}

/** Whether the catalog has it, under any of its names. */
export const has = ({ house }: Desk, operation: string): boolean =>
  house.catalog.entries.some((entry) => entry.name === operation || entry.aliases.includes(operation));
