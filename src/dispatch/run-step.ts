import type { StoreStep } from '#core/define.ts';
import type { Changes } from '#core/model/audit.ts';
import type { ReadStore, WriteStore } from '#store/port/store.ts';
import { type CallContext, createContext, toStamp } from './call-context.ts';

/** Makes one read or write of an operation: in its own transaction or that of the query, or on the server in front of the store. The
 *  changes of a job are added to its receipt. */
export async function runStep<P, R>(
  ctx: CallContext,
  { store, changes }: { store?: ReadStore; changes?: Changes },
  step: StoreStep<P, R>,
  params: P,
): Promise<R> {
  if (ctx.sendStep) return ctx.sendStep(step, params) as Promise<R>;
  const run = (used: ReadStore): Promise<R> => step.run(createContext(ctx, { store: used, isDryRun: false }) as never, params);
  if (store) return run(store);
  if (step.kind === 'read') return (await ctx.app.openStore('read')).read(run);
  return (await ctx.app.openStore('write')).write(toStamp(ctx), async (writes: WriteStore) => {
    const result = await run(writes);
    if (changes) addChanges(changes, writes.changes);
    return result;
  });
}

/** Adds the changes of one transaction to the receipt of a job. */
export function addChanges(changes: Changes, more: Changes): void {
  for (const key of ['created', 'updated', 'deleted'] as const) changes[key] = changes[key].concat(more[key]);
}
