import { strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { analysisFields, analyzePlan, computePlan } from '#planning/operations/shared/plan.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';

export const orchestrateAnalyze = query({
  name: 'orchestrate.analyze',
  summary: 'Show waves, blockers and progress of an epic or saga',
  params: strictObject({ epic: Root }),
  paramAliases: rootAliases,
  result: strictObject(analysisFields),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: {
    command: ['orchestrate analyze', 'orchestrator analyze'],
    args: ['epic'],
    view: async () => (await import('../view.ts')).orchestrationView,
  },
  example: {
    world: ['T001 epic', 'T002 in T001 small', 'T003 in T001 depends T002', 'T004 in T001 depends T005', 'T005'],
    call: { epic: 'T001' },
  },
  async run(ctx, { epic }) {
    const analysis = await analyzePlan(ctx, await computePlan(ctx.store, epic ?? ctx.session?.scope.root));
    const { waves, blocked, cycles } = analysis;
    return waves.length + blocked.length + cycles.length > 0 ? analysis : noData(analysis);
  },
});
