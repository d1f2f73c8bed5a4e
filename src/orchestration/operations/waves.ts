import { array, optional, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { omitEmpty } from '#lib/collections.ts';
import { computePlan, listClaims, listWaveConflicts, toWaveViews, WaveConflict, WaveView } from '#planning/operations/shared/plan.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';

export const orchestrateWaves = query({
  name: 'orchestrate.waves',
  summary: 'List the waves of open work in an epic or saga',
  params: strictObject({ epic: Root }),
  paramAliases: rootAliases,
  result: strictObject({ waves: array(WaveView), conflicts: optional(array(WaveConflict)) }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  cli: {
    command: ['orchestrate waves', 'orchestrator waves'],
    args: ['epic'],
    view: async () => (await import('../view.ts')).orchestrationView,
  },
  example: { world: ['T001 saga', 'T002 in T001', 'T003 in T002', 'T004 in T001 depends T002', 'T005 in T004'], call: { epic: 'T001' } },
  async run(ctx, { epic }) {
    const { lapsed } = await listClaims(ctx);
    const plan = await computePlan(ctx.store, epic ?? ctx.session?.scope.root);
    const waves = toWaveViews(plan, lapsed);
    return waves.length > 0 ? { waves, ...omitEmpty({ conflicts: await listWaveConflicts(ctx.store, plan) }) } : noData({ waves });
  },
});
