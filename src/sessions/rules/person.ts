import type { Gateway } from '#core/model/audit.ts';
import type { TokenScope } from '#core/model/token.ts';

export interface Acting {
  gateway: Gateway;
  token?: { scope: TokenScope } | undefined;
  /** The process is at a terminal, and nothing around it says that an agent runs it. */
  isAtTerminal: boolean;
  /** The call says itself who makes it. */
  isNamed: boolean;
}

/** Whether a call is a person's own act: typed at a terminal, in nobody's name; or with a token that was made for looking after the
 *  project. What comes with any other token, through MCP or from an agent's shell is not. */
export const isPersons = ({ gateway, token, isAtTerminal, isNamed }: Acting): boolean =>
  token ? token.scope === 'admin' : gateway === 'cli' && isAtTerminal && !isNamed;
