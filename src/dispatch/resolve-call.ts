import type { Operation, Registry } from '#core/define.ts';
import { resolveName, suggestOperations } from '#core/operation-names.ts';
import { synonyms } from '#core/synonyms.generated.ts';
import type { Call } from './call-context.ts';
import { createUnknownOperationError } from './input-error.ts';
import { applyShortcut } from './lenient-params.ts';

/** Finds the operation that an unknown name means, and returns the call with its real name. */
export async function resolveCall(
  registry: Registry,
  call: Call,
  checkToken: (operation: Pick<Operation, 'kind'>, call: Call) => Promise<void>,
): Promise<Call> {
  const { operation: name, kind, params } = call;
  const resolved = resolveName(name, registry, synonyms, kind);
  if (resolved) return { ...call, operation: resolved.operation, params: applyShortcut(resolved.shortcut, params) };
  // A token without write access must not learn the names of writing operations.
  await checkToken({ kind: kind === 'mutate' ? 'mutation' : 'query' }, call);
  const suggestions = suggestOperations(name, registry, synonyms, call.token?.scope === 'query' ? 'query' : kind);
  const [suggested, ...others] = suggestions;
  const only = suggested && others.length === 0 ? await registry.find(suggested)?.load() : undefined;
  throw createUnknownOperationError(name, suggestions, only, params);
}
