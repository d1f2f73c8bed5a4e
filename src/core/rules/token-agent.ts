import { anonymousToken } from '../model/token.ts';

/** Checks whether a token may act under a name: its own, or one below it such as `ada/claude-1`. Without a token the server trusts its own
 *  machine, where every name is allowed. */
export const mayActAs = (token: { name: string }, agent: string): boolean =>
  token.name === anonymousToken || agent === token.name || agent.startsWith(`${token.name}/`);

/** Returns the name under which a token acts for an agent that its environment identifies: the name itself if the token may use it, otherwise
 *  one below the token. The longest id has 100 characters, so a long name is cut. */
export const toTokenAgent = (token: { name: string }, agent: string): string =>
  mayActAs(token, agent) ? agent : `${token.name}/${agent}`.slice(0, 100);
