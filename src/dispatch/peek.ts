import type { ReadStore, Store } from '#store/port/store.ts';
import { type CallContext, createContext, identify, isResolvedByStore, unwrapAnswer } from './call-context.ts';
import type { Outcome } from './dispatch.ts';
import { mustWrite } from './idempotency.ts';

/** The callers of a server whose last call of an operation found something. */
const findersOf = new WeakMap<Store, Set<string>>();
const maxFinders = 10_000;

const getFinders = (store: Store): Set<string> => {
  const known = findersOf.get(store);
  if (known && known.size < maxFinders) return known;
  const finders = new Set<string>();
  findersOf.set(store, finders);
  return finders;
};

const toFinder = ({ operation, caller }: CallContext, params: Record<string, unknown>): string =>
  JSON.stringify([operation.name, caller.agent, params]);

/** Other writes of the server would make a hint out of date before this call has the lock. */
const isBusy = (store: Store): boolean => store.isWriting?.() ?? false;

/** Remembers whether the call found something. While the server is busy, a caller that did is not asked to read twice: it probably finds
 *  something again. */
export function rememberFind(ctx: CallContext, store: Store, params: Record<string, unknown>, hasFound: boolean): void {
  if (!store.getUsage) return;
  const finder = toFinder(ctx, params);
  if (hasFound) getFinders(store).add(finder);
  else findersOf.get(store)?.delete(finder);
}

/** Calls `peek` of the operation in a read, after `check`. Returns the answer, or the hint for `run`. */
export async function peekBeforeWrite(
  ctx: CallContext,
  store: Store,
  params: Record<string, unknown>,
  check: (reads: ReadStore) => Promise<void>,
): Promise<{ outcome: Outcome } | { hint?: unknown }> {
  const { operation } = ctx;
  if (mustWrite(ctx) || ctx.call.isWoken || (isBusy(store) && getFinders(store).has(toFinder(ctx, params)))) return {};
  const found = await store.read(async (reads) => {
    reads.ahead?.(operation.readAhead, params as never, ctx);
    await identify(ctx, reads);
    // The session may be graded.
    if (mustWrite(ctx)) return {};
    await check(reads);
    return operation.peek!(createContext(ctx, { store: reads }) as never, params as never);
  });
  // A write also records which conversation the process of the caller belongs to.
  if (isResolvedByStore(ctx, true)) delete ctx.isIdentified;
  return 'answer' in found ? { outcome: unwrapAnswer(found.answer) } : found;
}
