import type { TokenScope } from '#core/model/token.ts';

/** Checks whether a token may call an operation. `query` reads, `mutate` also writes, and `admin` also manages the project: tokens,
 *  settings, the whole store, and files outside it. */
export function isAllowed(scope: TokenScope, operation: { kind: string; scope?: 'admin' | undefined }): boolean {
  return scopeOrder.indexOf(scope) >= scopeOrder.indexOf(getRequiredScope(operation));
}

/** The lowest scope that may call an operation. */
export const getRequiredScope = ({ kind, scope }: { kind: string; scope?: 'admin' | undefined }): TokenScope =>
  scope ?? (kind === 'query' ? 'query' : 'mutate');

const scopeOrder: TokenScope[] = ['query', 'mutate', 'admin'];
