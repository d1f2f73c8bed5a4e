import { check, description, metadata, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { anonymousToken } from '#core/model/anonymous-token.ts';
import { isDate } from '#core/model/date-text.ts';
import { AgentId } from '#core/model/scalars.ts';
import { RoleSchema, TokenScopeSchema, tokenPrefix } from '#core/model/token.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { roleScopes } from '#core/rules/token-scope.ts';
import { defaultTokenDays, toExpiry } from '#core/rules/token-terms.ts';
import { defined } from '#lib/collections.ts';
import { toTokenRow } from './shared/token-row.ts';

const TokenRow = strictObject({
  name: string(),
  scope: TokenScopeSchema,
  role: RoleSchema,
  /** The name that its calls act under. */
  actsAs: string(),
  /** The person or service that it belongs to. */
  owner: string(),
  ownerKind: picklist(['person', 'service']),
  callsPerMinute: optional(number()),
  createdAt: string(),
  createdBy: string(),
  /** Absent if the token does not expire. */
  expiresAt: optional(string()),
});
/** A token that may have been revoked. */
export const RevocableToken = strictObject({ ...TokenRow.entries, revokedAt: optional(string()) });

const isTerm = (text: string): boolean => text === 'never' || /^[1-9]\d{0,3}[hdw]$/.test(text) || isDate(text);

export const adminTokenCreate = mutation({
  name: 'admin.token.create',
  summary: 'Create a token for the HTTP server',
  params: strictObject({
    name: pipe(
      AgentId,
      check((name) => name !== anonymousToken, 'must not be http, which is the name of callers without a token'),
      description('Name of the token in lists and in the log'),
    ),
    scope: optional(
      pipe(TokenScopeSchema, description('query: read; mutate: also write; decide: also what people decide; admin: everything')),
    ),
    role: optional(
      pipe(RoleSchema, description('Instead of a scope. viewer: query; contributor: mutate; maintainer: decide; owner: admin')),
    ),
    person: optional(pipe(AgentId, description('Person the token belongs to; by default one of its name'), metadata({ value: 'NAME' }))),
    service: optional(pipe(AgentId, description('Service the token belongs to, instead of a person'), metadata({ value: 'NAME' }))),
    actsAs: optional(
      pipe(
        AgentId,
        check((name) => name !== anonymousToken, 'must not be http, which is the name of callers without a token'),
        description('Agent name its calls use; they may use names below it too (default: the name of the token)'),
        metadata({ value: 'NAME' }),
      ),
    ),
    expires: optional(
      pipe(
        string(),
        check(isTerm, 'must be like 90d, 12h, 2w, 2026-01-31 or never'),
        description(`Time until it expires, the last day, or never (default: ${defaultTokenDays}d)`),
        metadata({ value: '90d' }),
      ),
    ),
    callsPerMinute: optional(pipe(wholeNumber({ min: 1, max: 1_000_000 }), description('Limit of its calls on each server'))),
  }),
  result: strictObject({ token: TokenRow, secret: string() }),
  errors: ['E_ID_COLLISION', 'E_INVALID_INPUT', 'E_VALIDATION'],
  tier: 2,
  scope: 'admin',
  subject: 'name',
  secretResult: 'secret',
  cli: { command: 'token create' },
  example: { call: { name: 'dashboard', scope: 'query' } },
  async run(
    { store, platform, caller, now, config, commandWith },
    { name, scope, role, person, service, actsAs, expires, callsPerMinute },
  ) {
    if ((scope === undefined) === (role === undefined))
      throw new CleoError('E_INVALID_INPUT', {
        problem: scope ? 'Pass a scope or a role, not both' : 'A token needs a scope or a role',
        fix: commandWith({ scope: undefined, role: role ?? 'contributor' }),
      });
    if (person !== undefined && service !== undefined)
      throw new CleoError('E_INVALID_INPUT', {
        problem: 'A token belongs to a person or to a service, not to both',
        fix: commandWith({ service: undefined }),
      });
    const expiresAt = toExpiry(now, expires);
    if (expiresAt !== undefined && expiresAt <= now)
      throw new CleoError('E_VALIDATION', {
        field: 'expires',
        problem: `${expires} is in the past`,
        fix: commandWith({ expires: `${defaultTokenDays}d` }),
      });
    // Names of revoked tokens are not reused, because the log refers to tokens by name.
    if (await store.tokens.get(name)) throw new CleoError('E_ID_COLLISION', { id: name, fix: 'cleo token list' });
    const secret = `${tokenPrefix}${platform.randomSecret()}`;
    const token = {
      name,
      hash: platform.sha256(secret),
      scope: scope ?? roleScopes[role!],
      createdAt: now,
      createdBy: caller.agent,
      ...defined({ owner: service ?? person, ownerKind: service === undefined ? undefined : ('service' as const) }),
      ...defined({ agent: actsAs, expiresAt, callsPerMinute, project: config['project.key'] || undefined }),
    };
    await store.tokens.insert(token);
    return { token: toTokenRow(token), secret };
  },
});
