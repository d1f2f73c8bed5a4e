import type { Role, Token } from '#core/model/token.ts';
import { toAgentName } from '#core/rules/token-agent.ts';
import { roleScopes } from '#core/rules/token-scope.ts';
import { defined } from '#lib/collections.ts';

/** Converts a token to what lists show of it. */
export const toTokenRow = (token: Token) => ({
  name: token.name,
  scope: token.scope,
  role: (Object.keys(roleScopes) as Role[]).find((role) => roleScopes[role] === token.scope)!,
  actsAs: toAgentName(token),
  owner: token.owner ?? token.name,
  ownerKind: token.ownerKind ?? ('person' as const),
  ...defined({ callsPerMinute: token.callsPerMinute }),
  createdAt: token.createdAt,
  createdBy: token.createdBy,
  ...defined({ expiresAt: token.expiresAt, revokedAt: token.revokedAt }),
});
