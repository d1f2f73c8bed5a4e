import { array, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { defined } from '#lib/defined.ts';
import { TakenOverFrom, TaskHitSchema } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import { indexHolders, isHolder } from '#tasks/rules/claims.ts';
import { selectReadyTasks } from '#tasks/rules/next.ts';

export const orchestrateReady = query({
  name: 'orchestrate.ready',
  summary: 'List the tasks that can be started now, most urgent first',
  params: strictObject({ epic: Root, ...pageParams(50) }),
  paramAliases: rootAliases,
  result: strictObject({ tasks: array(strictObject({ ...TaskHitSchema.entries, takenOverFrom: TakenOverFrom })) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: ['ready', 'orchestrate ready', 'orchestrator ready'], args: ['epic'] },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002'], call: { epic: 'T001' } },
  async run(ctx, { epic, ...page }) {
    const { store, caller, session } = ctx;
    await checkTaskExists(store, epic);
    const graph = await store.tasks.getOpenGraph();
    const { isLapsed } = await createClaimJudge(ctx, graph.claims);
    const all = selectReadyTasks(graph, { isLapsed, caller, within: epic ?? session?.scope.root });
    const shownTasks = all.slice(page.offset, page.offset + page.limit);
    const formerHolders = indexHolders(graph.claims.filter((claim) => !isHolder(claim, caller)));
    const hits = await store.tasks.getHits(shownTasks.map((task) => task.id));
    const tasks = hits.map((hit) => defined({ ...hit, takenOverFrom: formerHolders.get(hit.id) }));
    return answerPage({ tasks }, tasks.length, page, async () => all.length);
  },
});
