import { strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { analysis, analyze, planOf } from '#planning/operations/shared/plan.ts';
import { Root, rootNames } from '#tasks/operations/shared/root.ts';

export const orchestrateAnalyze = query({
  name: 'orchestrate.analyze',
  summary: 'Put the open work of an epic or saga in waves, and say what blocks it and how far it is',
  params: strictObject({ epic: Root }),
  paramAliases: rootNames,
  result: strictObject(analysis),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  cli: { command: ['orchestrate analyze', 'orchestrator analyze'], args: ['epic'] },
  example: {
    world: ['T001 epic', 'T002 in T001 small', 'T003 in T001 depends T002', 'T004 in T001 depends T005', 'T005'],
    call: { epic: 'T001' },
  },
  async run({ store, session }, { epic }) {
    const found = await analyze(store, await planOf(store, epic ?? session?.scope.root));
    return found.waves.length + found.blocked.length + found.cycles.length > 0 ? found : noData(found);
  },
});
