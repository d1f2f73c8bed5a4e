import type { Config } from '#core/model/config.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import { parseFileName, staleMark, toKnownStats } from './plan-scan.ts';
import type { SyncOptions } from './plan-sync.ts';
import { readSyncOptions } from './sync-checkout.ts';

/** Checks by sequence numbers, sizes and times whether a sync may have something to do. Reads no record and no file. */
export async function needsSync(
  ctx: { store: ReadStore; platform: Platform; project: Project; now: string; config: Config },
  modes: Pick<SyncOptions, 'isReadOnly' | 'isDryRun'>,
): Promise<boolean> {
  const { plan } = ctx.store;
  const { folder, isMain } = await readSyncOptions(ctx, modes);
  const since = await plan.getSyncedPosition();
  if (!since || !isMain) return true;
  const known = toKnownStats(await plan.listFileStats());
  let files = 0;
  for (const [name, stat] of (await ctx.platform.loadPlanFiles()).list(folder)) {
    if (!parseFileName(name)) continue;
    files++;
    const last = known.get(name);
    if (last !== stat && !(modes.isReadOnly && last === `${stat}${staleMark}`)) return true;
  }
  if (modes.isReadOnly) return false;
  const position = await plan.getPosition(ctx.now);
  if (files !== known.size || position.history !== since.history || position.evidence !== since.evidence) return true;
  return (await plan.listChangedDomains(since)).some((domain) => domain !== 'sync');
}
