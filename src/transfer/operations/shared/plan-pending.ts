import type { Config } from '#core/model/config.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { PlanReads } from '#store/port/plan.ts';
import type { ReadStore } from '#store/port/store.ts';
import { digestListing, parseFileName, readSyncOptions, type SyncOptions, staleMark, toKnownStats } from './plan-stats.ts';

/** Checks by sequence numbers, sizes and times whether a sync may have something to do. Reads no record and no file. */
export async function needsSync(
  ctx: { store: ReadStore; platform: Platform; project: Project; now: string; config: Config },
  modes: Pick<SyncOptions, 'isReadOnly' | 'isDryRun'>,
): Promise<boolean> {
  const { plan } = ctx.store;
  const options = await readSyncOptions(ctx, modes);
  const since = await plan.getSyncedPosition();
  if (!since) return true;
  const stats = (await ctx.platform.loadPlanFiles()).list(options.folder);
  const isKnown = options.tree === undefined && since.files === digestListing(stats, options);
  if (!isKnown && (await hasChangedFiles(plan, stats, options))) return true;
  if (modes.isReadOnly) return false;
  const position = await plan.getPosition(ctx.now);
  if (position.history !== since.history || position.evidence !== since.evidence) return true;
  return (await plan.listChangedDomains(since)).some((domain) => domain !== 'sync');
}

/** A sync that only reads does not look at files that are known to be stale. */
async function hasChangedFiles(
  plan: PlanReads,
  stats: Map<string, string>,
  { tree, isReadOnly }: Pick<SyncOptions, 'tree' | 'isReadOnly'>,
): Promise<boolean> {
  const known = toKnownStats(await plan.listFileStats(tree));
  let count = 0;
  for (const [name, stat] of stats) {
    if (!parseFileName(name)) continue;
    count++;
    const last = known.get(name);
    if (last !== stat && !(isReadOnly && last === `${stat}${staleMark}`)) return true;
  }
  return !isReadOnly && count !== known.size;
}
