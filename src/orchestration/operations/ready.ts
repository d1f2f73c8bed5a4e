import { array, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { paged, pageParams } from '#core/page.ts';
import { TaskHit } from '#tasks/model/task.ts';
import { checkRoot, Root, rootNames } from '#tasks/operations/shared/root.ts';
import { ready } from '#tasks/rules/next.ts';

export const orchestrateReady = query({
  name: 'orchestrate.ready',
  summary: 'List the tasks that may be started now, the most urgent first',
  params: strictObject({ epic: Root, ...pageParams(50) }),
  paramAliases: rootNames,
  result: strictObject({ tasks: array(TaskHit) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: ['ready', 'orchestrate ready', 'orchestrator ready'], args: ['epic'] },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002'], call: { epic: 'T001' } },
  async run({ store, now, caller, config, session }, { epic, ...page }) {
    await checkRoot(store, epic);
    const all = ready(await store.tasks.openGraph(), {
      now: await store.claims.moment(now),
      caller,
      ttlMinutes: config['claims.ttlMinutes'],
      within: epic ?? session?.scope.root,
    });
    const shown = all.slice(page.offset, page.offset + page.limit);
    const tasks = await store.tasks.hits(shown.map((task) => task.id));
    return paged({ tasks }, tasks.length, page, async () => all.length);
  },
});
