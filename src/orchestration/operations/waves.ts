import { array, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { planOf, Wave, wavesOf } from '#planning/operations/shared/plan.ts';
import { Root, rootNames } from '#tasks/operations/shared/root.ts';

export const orchestrateWaves = query({
  name: 'orchestrate.waves',
  summary: 'List the open work of an epic or saga in waves: one after another, side by side within',
  params: strictObject({ epic: Root }),
  paramAliases: rootNames,
  result: strictObject({ waves: array(Wave) }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  cli: { command: ['orchestrate waves', 'orchestrator waves'], args: ['epic'] },
  example: { world: ['T001 saga', 'T002 in T001', 'T003 in T002', 'T004 in T001 depends T002', 'T005 in T004'], call: { epic: 'T001' } },
  async run({ store, session }, { epic }) {
    const waves = wavesOf(await planOf(store, epic ?? session?.scope.root));
    return waves.length > 0 ? { waves } : noData({ waves });
  },
});
