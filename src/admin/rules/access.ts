import type { TokenScope } from '#core/model/token.ts';

/** What a token allows: `query` reads, `mutate` also writes, `admin` also does what an operation keeps for those who look
 *  after the project: tokens, settings, the store as a whole, files outside it. */
export function allows(scope: TokenScope, operation: { kind: string; scope?: 'admin' | undefined }): boolean {
  return order.indexOf(scope) >= order.indexOf(scopeFor(operation));
}

/** The least that is needed. */
export const scopeFor = ({ kind, scope }: { kind: string; scope?: 'admin' | undefined }): TokenScope =>
  scope ?? (kind === 'query' ? 'query' : 'mutate');

const order: TokenScope[] = ['query', 'mutate', 'admin'];
