import { array, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { TaskHitSchema } from '#tasks/model/task.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import { selectReadyTasks } from '#tasks/rules/next.ts';

export const orchestrateReady = query({
  name: 'orchestrate.ready',
  summary: 'List the tasks that can be started now, most urgent first',
  params: strictObject({ epic: Root, ...pageParams(50) }),
  paramAliases: rootAliases,
  result: strictObject({ tasks: array(TaskHitSchema) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: ['ready', 'orchestrate ready', 'orchestrator ready'], args: ['epic'] },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002'], call: { epic: 'T001' } },
  async run({ store, now, caller, config, session }, { epic, ...page }) {
    await checkTaskExists(store, epic);
    const all = selectReadyTasks(await store.tasks.getOpenGraph(), {
      now: await store.claims.getLeaseTime(now),
      caller,
      ttlMinutes: config['claims.ttlMinutes'],
      within: epic ?? session?.scope.root,
    });
    const shownTasks = all.slice(page.offset, page.offset + page.limit);
    const tasks = await store.tasks.getHits(shownTasks.map((task) => task.id));
    return answerPage({ tasks }, tasks.length, page, async () => all.length);
  },
});
