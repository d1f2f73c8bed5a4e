import type { ReadStore } from '#store/port/store.ts';
import type { CallContext } from './call-context.ts';

/** Sends the reads of the operation together with those of dispatch. Their errors are those of the same reads of the operation. */
export function readAhead({ operation, caller, now }: CallContext, ahead: ReadStore, params: Record<string, unknown>): void {
  for (const read of operation.readAhead?.(ahead, params as never, { caller, now }) ?? []) read.catch(() => {});
}
