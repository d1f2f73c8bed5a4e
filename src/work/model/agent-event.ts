import type { TokenUsage } from '#lib/format-usage.ts';

/** Tokens and cost of an agent, as far as its client reports them. */
export type Usage = TokenUsage;

/** One event of an agent's output stream. */
export type AgentEvent =
  /** `isPart`: continues the message before it. */
  | { type: 'message'; text: string; isPart?: true }
  | { type: 'tool'; name: string; detail: string }
  | { type: 'error'; text: string }
  /** `isTotal`: the figures are those of the whole conversation and replace what was counted before. `messageId`: they are those of a
   *  message, which a client repeats in several lines. */
  | { type: 'usage'; usage: Usage; isTotal?: true; messageId?: string };

/** The state of an output stream after some of its lines. */
export interface StreamState {
  usage: Usage;
  /** The message whose figures were counted last, and the usage before it. */
  counted?: { messageId: string; before: Usage };
  /** The last message of the agent. */
  lastMessage: string;
  /** The next part of a message continues the last one. */
  isInMessage: boolean;
}
