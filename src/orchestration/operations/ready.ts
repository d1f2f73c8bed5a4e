import { array, literal, optional, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { omitEmpty } from '#lib/defined.ts';
import { TakenOverFrom, TaskHitSchema } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { AnyAssignee, Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { readReserved } from '#tasks/operations/shared/recommend.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import { indexHolders, isHolder } from '#tasks/rules/claims.ts';
import { listConflictingTasks } from '#tasks/rules/file-conflicts.ts';
import { selectReadyTasks } from '#tasks/rules/next.ts';
import { findReadyConflicts } from './shared/ready-conflicts.ts';

const ReadyTask = strictObject({
  ...TaskHitSchema.entries,
  takenOverFrom: TakenOverFrom,
  /** Tasks that touch the same file, at most ten: other ready tasks, and tasks that are worked on. */
  conflictsWith: optional(array(string())),
  /** A task that is worked on or listed before shares a file with this one. All tasks without this mark can run in parallel. */
  deferred: optional(literal(true)),
});

export const orchestrateReady = query({
  name: 'orchestrate.ready',
  summary: 'List the tasks that can be started now, most urgent first',
  params: strictObject({ epic: Root, any: AnyAssignee, ...pageParams(50) }),
  paramAliases: rootAliases,
  result: strictObject({
    tasks: array(ReadyTask),
    /** Files that a listed task shares with other tasks. */
    conflicts: optional(array(strictObject({ file: string(), tasks: array(string()) }))),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  dependsOnSession: true,
  cli: { command: ['ready', 'orchestrate ready', 'orchestrator ready'], args: ['epic'] },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002'], call: { epic: 'T001' } },
  async run(ctx, { epic, any: isForAny, ...page }) {
    const { store, caller, session, today } = ctx;
    const within = epic ?? session?.scope.root;
    await checkTaskExists(store, epic);
    const graph = await store.tasks.getOpenGraph();
    const { isLapsed } = await createClaimJudge(ctx, graph.claims);
    const reserved = isForAny ? undefined : await readReserved(ctx, graph);
    const all = selectReadyTasks(graph, { isLapsed, caller, within, reserved, today });
    const shownTasks = all.slice(page.offset, page.offset + page.limit);
    const formerHolders = indexHolders(graph.claims.filter((claim) => !isHolder(claim, caller)));
    const hits = await store.tasks.getHits(shownTasks.map((task) => task.id));
    const { conflicts, deferred } = await findReadyConflicts(
      ctx,
      within,
      all.map(({ id }) => id),
    );
    const others = listConflictingTasks(conflicts);
    const tasks = hits.map((hit) => ({
      ...hit,
      ...omitEmpty({
        takenOverFrom: formerHolders.get(hit.id),
        conflictsWith: others.get(hit.id),
        deferred: deferred.has(hit.id) || undefined,
      }),
    }));
    const isShown = new Set(hits.map(({ id }) => id));
    const shownConflicts = conflicts.filter(({ tasks }) => tasks.some((id) => isShown.has(id)));
    return answerPage({ tasks, ...omitEmpty({ conflicts: shownConflicts }) }, tasks.length, page, async () => all.length);
  },
});
