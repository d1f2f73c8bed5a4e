import { CleoError } from '#core/errors/error.ts';
import { mayActAs, toAgentName, toTokenAgent } from '#core/rules/token-agent.ts';
import type { TokenIdentity } from './authenticate.ts';
import type { CallContext } from './call-context.ts';

/** Rejects a name that is not that of the token, nor below it. The log gets the call under the name of the token. */
export function checkName(ctx: CallContext): void {
  const { token, agent } = ctx.call;
  if (!token || agent === undefined || mayActAs(token, agent)) return;
  ctx.caller = { agent: toAgentName(token) };
  throw createNameError(token, agent);
}

/** Creates the error of a caller that chose a name that its token may not use. */
export function createNameError(token: TokenIdentity, agent: string): CleoError {
  const allowed = toTokenAgent(token, agent);
  return new CleoError('E_FORBIDDEN', {
    problem: `Token ${token.name} acts as ${toAgentName(token)}, or as a name below it such as ${allowed}; ${agent} is another name`,
    fix: `cleo whoami --agent ${allowed}`,
    manual: `Use the agent id ${allowed} (CLEO_AGENT_ID), or a token of that name`,
  });
}
