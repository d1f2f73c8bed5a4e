import { array, number, optional, strictObject, string } from 'valibot';
import { answer, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { openClientPlan, planObservations, scanClientPlan, writePlanFiles } from '../shared/client-plan.ts';
import { describeSync, SyncSchema } from '../shared/sync-result.ts';

export const syncRun = mutation({
  name: 'sync.run',
  summary: 'Bring the store and .cleo/plan in step',
  params: strictObject({}),
  result: strictObject({ sync: SyncSchema, files: optional(array(string())), fileCount: optional(number()) }),
  errors: ['E_CONFIG_ERROR', 'E_FILE_ERROR'],
  tier: 1,
  usesHost: true,
  observes: planObservations,
  maxBodyBytes: 256 << 20,
  apply: (ctx, _, data) => writePlanFiles(ctx, data),
  cli: { command: 'sync' },
  dryRun: true,
  example: { world: ['T001 epic', 'T002 in T001'], call: { dryRun: true } },
  async run(ctx) {
    requireSync(ctx.config['sync.mode']);
    // The git hook loads the same part.
    const { syncCheckout } = await import('../shared/sync-checkout.ts');
    const client = await openClientPlan(ctx);
    if (client) await scanClientPlan(ctx, client);
    const report = await syncCheckout(
      { ...ctx, ...(client ? { platform: client.platform } : {}) },
      { isReadOnly: false, isDryRun: ctx.isDryRun },
    );
    // The contents of documents are known to be needed only now.
    await client?.requireContents();
    const { result, warnings } = describeSync(report);
    const apply = client?.listWritten();
    return answer(result, { warnings, ...(report.isChanged ? {} : { exit: 102 as const }), ...(apply ? { apply } : {}) });
  },
});

function requireSync(mode: string): void {
  if (mode === 'off')
    throw new CleoError('E_CONFIG_ERROR', { path: 'sync.mode', problem: 'is off', fix: 'cleo config set sync.mode manual' });
}
