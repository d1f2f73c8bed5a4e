import type { Gateway } from '#core/model/audit.ts';
import type { TokenScope } from '#core/model/token.ts';

export interface CallOrigin {
  gateway: Gateway;
  token?: { scope: TokenScope } | undefined;
  /** The process runs in a terminal, and no environment variable says that an agent started it. */
  isAtTerminal: boolean;
  /** The call names an agent. */
  isNamed: boolean;
}

/** Returns true for a call that a person makes: typed in a terminal without naming an agent, or sent with a token of scope `admin`.
 *  Calls with another token, over MCP or from an agent's shell are not a person's. */
export const isPersonCall = ({ gateway, token, isAtTerminal, isNamed }: CallOrigin): boolean =>
  token ? token.scope === 'admin' : gateway === 'cli' && isAtTerminal && !isNamed;
