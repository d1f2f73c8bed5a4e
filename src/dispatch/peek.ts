import type { Store } from '#store/port/store.ts';
import { type CallContext, createContext, unwrapAnswer } from './call-context.ts';
import { checkSession } from './check-session.ts';
import type { Outcome } from './envelope.ts';
import { mustWrite } from './idempotency.ts';
import { identify, isResolvedByStore } from './identify.ts';

/** Calls `peek` of the operation in a read. Returns the answer, or the hint for `run`. */
export async function peekBeforeWrite(
  ctx: CallContext,
  store: Store,
  params: Record<string, unknown>,
): Promise<{ outcome: Outcome } | { hint?: unknown }> {
  const { operation } = ctx;
  if (mustWrite(ctx) || ctx.call.isWoken) return {};
  const found = await store.read(async (reads) => {
    reads.ahead?.(operation.readAhead, params as never, ctx);
    await identify(ctx, reads);
    // The session may be graded.
    if (mustWrite(ctx)) return {};
    await checkSession(ctx, reads, params);
    return operation.peek!(createContext(ctx, { store: reads }) as never, params as never);
  });
  // A write also records which conversation the process of the caller belongs to.
  if (isResolvedByStore(ctx, true)) delete ctx.isIdentified;
  return 'answer' in found ? { outcome: unwrapAnswer(found.answer) } : found;
}
