import type { MutationContext } from '#core/define.ts';
import type { Config } from '#core/model/config.ts';
import type { WriteStore } from '#store/port/store.ts';
import { clientTree, readSyncOptions, type SyncOptions } from './plan-stats.ts';
import { type SyncReport, syncPlan } from './plan-sync.ts';

/** Synchronizes the plan files of the caller's checkout with the store, in the transaction of the call. */
export async function syncCheckout(
  ctx: Pick<MutationContext, 'platform' | 'project' | 'now'> & { config: Config; store: WriteStore },
  modes: Pick<SyncOptions, 'isReadOnly' | 'isDryRun'>,
): Promise<SyncReport> {
  const { hasTaskNumber, recordFactsQuietly } = await import('#admin/operations/shared/local-facts.ts');
  const { platform, store } = ctx;
  const options = await readSyncOptions(ctx, modes);
  const report = await syncPlan(store, await platform.loadPlanFiles(), options);
  if (options.tree !== undefined && report.isChanged && !modes.isDryRun)
    for (const tree of await store.plan.listTrees())
      if (tree !== clientTree && !platform.files.isFolder(tree)) await store.plan.forgetTree(tree);
  // The facts are about the checkout that has the store.
  if (options.tree === clientTree) return report;
  // A hook calls this for every commit: writing and flushing the file costs more than the rest of a sync without changes.
  const isRecorded = !report.isChanged && (await hasTaskNumber(ctx.platform, ctx.project, ctx.store));
  if (!modes.isDryRun && !isRecorded) await recordFactsQuietly(ctx.platform, ctx.project, ctx.store);
  return report;
}
