import { getRequiredScope, type ScopedOperation } from './rules/token-scope.ts';

/** Describes who may call an operation, for the reference, OpenAPI and help: `mutate; admin for a store on a database server`. */
export function describeScope(operation: ScopedOperation): string {
  const { scope, usesHost } = operation;
  return [
    getRequiredScope(operation),
    ...(typeof scope === 'object' ? [`${scope.scope} ${scope.when}`] : []),
    ...(usesHost ? ['over HTTP only with a token of scope admin'] : []),
  ].join('; ');
}
