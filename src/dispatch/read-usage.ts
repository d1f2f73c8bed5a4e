import { CleoError } from '#core/errors/error.ts';
import type { StoreUsage } from '#core/model/store-usage.ts';
import type { App } from './call-context.ts';

/** Returns how much the connections of a server are used; undefined if its store cannot be opened. */
export async function readUsage({ openStore }: App): Promise<StoreUsage | undefined> {
  try {
    return (await openStore('read')).getUsage?.();
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return undefined;
  }
}
