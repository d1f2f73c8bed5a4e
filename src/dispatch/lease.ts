import type { Caller } from '#core/model/audit.ts';
import { type App, requireProject } from './call-context.ts';

/** Renews the claims of a connected caller before they expire. It is the only write that is not an operation and has no audit row. */
export async function renewLease({ platform, openStore }: App, caller: Caller): Promise<void> {
  const store = await openStore('read');
  const ttlMs = platform.config.load(requireProject(platform))['claims.ttlMinutes'] * 60_000;
  const at = platform.now();
  const isDue = await store.read(async ({ claims }) => {
    const held = await claims.getHeldBy(caller);
    return held !== undefined && Date.parse(await claims.getLeaseTime(at)) - Date.parse(held.renewedAt) > ttlMs / 4;
  });
  if (isDue) await (await openStore('write')).write({ at, by: caller.agent }, ({ claims }) => claims.renew(caller, at));
}
