import type { Caller } from '#core/model/audit.ts';
import { isRenewalDue } from '#tasks/rules/claims.ts';
import { type App, requireProject } from './call-context.ts';

/** Renews the claims of a connected caller before they expire. Like `markAway` it is no operation and has no audit row. */
export async function renewLease({ platform, openStore }: App, caller: Caller): Promise<void> {
  const store = await openStore('read');
  const config = platform.config.load(requireProject(platform));
  const at = platform.now();
  const isDue = await store.read(async ({ claims }) => {
    const held = await claims.listHeldBy(caller);
    if (held.length === 0) return false;
    const limits = {
      now: await claims.getLeaseTime(at),
      ttlMinutes: config['claims.ttlMinutes'],
      awayMinutes: config['claims.awayMinutes'],
      silentMinutes: config['claims.silentMinutes'],
    };
    return held.some((claim) => isRenewalDue(claim, limits));
  });
  if (isDue) await (await openStore('write')).write({ at, by: caller.agent }, ({ claims }) => claims.renew(caller, at));
}

/** Marks a caller as away after its connection has closed. A caller without a process, such as an agent named outright, stays. */
export async function markAway({ platform, openStore }: App, caller: Caller): Promise<void> {
  if (caller.process === undefined) return;
  const store = await openStore('read');
  const hasClaims = await store.read(async ({ claims }) => (await claims.listHeldBy(caller)).length > 0);
  if (!hasClaims) return;
  const at = platform.now();
  await (await openStore('write')).write({ at, by: caller.agent }, ({ claims }) => claims.markAway(caller, at));
}
