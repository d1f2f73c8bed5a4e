import { anonymousToken } from '#core/model/anonymous-token.ts';
import type { Principal } from '#core/model/audit.ts';
import { includesScope } from '#core/rules/token-scope.ts';
import { defined } from '#lib/defined.ts';
import { toConversationAgent } from '#sessions/rules/caller.ts';
import type { CallContext } from './call-context.ts';

/** Returns the caller of a call and how it was authenticated, for the log. */
export function toPrincipal({ call, app, caller, clientProcess, proof }: CallContext): Principal {
  const via = call.page ? 'page' : call.gateway === 'cli' ? 'shell' : call.gateway === 'http' ? 'http' : 'mcp';
  const token = call.token && call.token.name !== anonymousToken ? call.token : undefined;
  const isPerson =
    proof !== undefined ||
    call.page?.isPerson ||
    (token && !token.isClient
      ? includesScope(token.scope, 'decide') && token.ownerKind !== 'service'
      : call.gateway === 'cli' && app.platform.identity.kind === 'person' && !call.agent);
  return defined({
    kind: isPerson ? ('person' as const) : ('agent' as const),
    via: proof?.via ?? (token ? ('token' as const) : via),
    token: proof?.token ?? token?.name,
    owner: token?.owner === token?.name ? undefined : token?.owner,
    evidence: proof?.evidence,
    process: caller.process ?? clientProcess,
    conversation: call.conversation && toConversationAgent(call.conversation.client, call.conversation.id),
  });
}
