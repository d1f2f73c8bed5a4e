import type { PersonScope, Role, TokenScope } from '../model/token.ts';

/** The part of an operation that decides who may call it. */
export interface ScopedOperation {
  kind: 'query' | 'mutation' | 'job';
  scope?: PersonScope | { scope: PersonScope; when: string } | undefined;
  usesHost?: true | undefined;
  observes?: readonly unknown[] | undefined;
  steps?: readonly unknown[] | undefined;
}

/** Checks whether a caller may call an operation, as far as its definition decides. A caller on this machine has no token: the shell
 *  or MCP over stdio, with scope `mutate`. */
export const isAllowed = (token: ScopedToken | undefined, operation: ScopedOperation): boolean =>
  includesScope(token?.scope ?? 'mutate', getRequiredScope(operation)) &&
  (!operation.usesHost || isHostAllowed(token) || usesClientHost(token, operation));

interface ScopedToken {
  scope: TokenScope;
  isClient?: true;
}

/** True if the host that the operation uses is that of the client. */
const usesClientHost = (token: ScopedToken | undefined, { observes, steps }: ScopedOperation): boolean =>
  token?.isClient === true && (observes ?? steps) !== undefined;

/** Checks whether a caller may use files and programs of the host. A token below scope admin is for remote callers, who may not. */
export const isHostAllowed = (token: { scope: TokenScope } | undefined): boolean => !token || token.scope === 'admin';

/** The lowest scope that may call an operation. An operation with a conditional scope checks it by itself. */
export const getRequiredScope = ({ kind, scope }: ScopedOperation): TokenScope =>
  typeof scope === 'string' ? scope : kind === 'query' ? 'query' : 'mutate';

/** Each scope includes those before it. */
export const includesScope = (scope: TokenScope, required: TokenScope): boolean =>
  scopeOrder.indexOf(scope) >= scopeOrder.indexOf(required);

/** The scope that each role of a project stands for. */
export const roleScopes = {
  viewer: 'query',
  contributor: 'mutate',
  maintainer: 'decide',
  owner: 'admin',
} as const satisfies Record<Role, TokenScope>;

const scopeOrder: TokenScope[] = Object.values(roleScopes);
