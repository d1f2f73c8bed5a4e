import { anonymousToken } from '../model/anonymous-token.ts';
import type { TokenIdentity } from '../model/token.ts';

type ActingToken = Pick<TokenIdentity, 'name' | 'agent'>;

/** Returns the name that the calls of a token act under, unless they choose one below it. */
export const toAgentName = ({ name, agent }: ActingToken): string => agent ?? name;

/** Checks whether a token may act under a name: its own, or one below it such as `ada/claude-1`. Without a token the server trusts its own
 *  machine, where every name is allowed. */
export const mayActAs = (token: ActingToken, agent: string): boolean =>
  token.name === anonymousToken || agent === toAgentName(token) || agent.startsWith(`${toAgentName(token)}/`);

/** Returns the name under which a token acts for an agent that its environment identifies: the name itself if the token may use it, otherwise
 *  one below the token. The longest id has 100 characters, so a long name is cut. */
export const toTokenAgent = (token: ActingToken, agent: string): string =>
  mayActAs(token, agent) ? agent : `${toAgentName(token)}/${agent}`.slice(0, 100);
