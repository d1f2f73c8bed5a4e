import type { Caller } from '#core/model/audit.ts';
import { getRenewalIntervalMs, getRenewalMs } from '#tasks/rules/claims.ts';
import { type App, requireProject } from './call-context.ts';

/** Renews the claims of a connected caller before they expire. Like `markAway` it is no operation and has no audit row. Returns the time
 *  until the next renewal is due, or undefined if the caller has no claims. */
export async function renewLease(app: App, caller: Caller): Promise<number | undefined> {
  const { platform, openStore } = app;
  if (app.usesServer()) return (await import('./remote/send-call.ts')).sendLease(app, 'renew', caller);
  const store = await openStore('read');
  const at = platform.now();
  const readLimits = () => {
    const config = platform.config.load(requireProject(platform));
    return {
      ttlMinutes: config['claims.ttlMinutes'],
      awayMinutes: config['claims.awayMinutes'],
      silentMinutes: config['claims.silentMinutes'],
    };
  };
  const dueMs = await store.read(async ({ claims, records, ahead }) => {
    const [held] = await Promise.all([
      claims.listHeldBy(caller),
      ahead && (await import('./shared-settings.ts')).loadSharedSettings(platform, { records }),
    ]);
    const limits = readLimits();
    // Without a server it costs little to look again: the agent may claim a task through another process.
    if (held.length === 0) return store.releaseConnections ? undefined : getRenewalIntervalMs(limits);
    const now = await claims.getLeaseTime(at);
    return Math.min(...held.map((claim) => getRenewalMs(claim, { ...limits, now })));
  });
  if (dueMs === undefined || dueMs > 0) return dueMs;
  await (await openStore('write')).write({ at, by: caller.agent }, ({ claims }) => claims.renew(caller, at));
  return getRenewalIntervalMs(readLimits());
}

/** Marks a caller as away after its connection has closed. A caller without a process, such as an agent named outright, stays. */
export async function markAway(app: App, caller: Caller): Promise<void> {
  const { platform, openStore } = app;
  if (caller.process === undefined) return;
  if (app.usesServer()) return void (await (await import('./remote/send-call.ts')).sendLease(app, 'away', caller));
  const store = await openStore('read');
  const hasClaims = await store.read(async ({ claims }) => (await claims.listHeldBy(caller)).length > 0);
  if (!hasClaims) return;
  const at = platform.now();
  await (await openStore('write')).write({ at, by: caller.agent }, ({ claims }) => claims.markAway(caller, at));
}
