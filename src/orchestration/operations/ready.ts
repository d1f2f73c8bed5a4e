import { array, literal, optional, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { answerPage, noLimit, pageParams } from '#core/page.ts';
import { omitEmpty } from '#lib/collections.ts';
import { TakenOverFrom, TaskHitSchema } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { AnyAssignee, Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import { readRanksAhead, selectTasks } from '#tasks/operations/shared/select-tasks.ts';
import { indexHolders, isHolder } from '#tasks/rules/claims.ts';
import { listConflictingTasks } from '#tasks/rules/file-conflicts.ts';
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
  synonyms: ['available', 'unblocked'],
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
  async run(ctx, { epic, any: isForAny = false, ...page }) {
    const { store, caller, session, now, today } = ctx;
    const within = epic ?? session?.scope.root;
    store.ahead?.((ahead) => [...readRanksAhead(ahead, within, 'urgency', today), ahead.claims.list(), ahead.claims.getLeaseTime(now)]);
    await checkTaskExists(store, epic);
    const claims = await store.claims.list();
    const { isLapsed } = await createClaimJudge(ctx, claims);
    const excluded = new Set(claims.filter((claim) => !isHolder(claim, caller) && !isLapsed(claim)).map(({ taskId }) => taskId));
    const select = async (count: number): Promise<TaskId[]> =>
      (await selectTasks(ctx, { order: 'urgency', count, root: within, isForAny, excluded })).map(({ taskId }) => taskId);
    const found = await select(page.offset + page.limit);
    const shown = found.slice(page.offset);
    // Only a task with files has conflicts, and they may be with any other task.
    const hasFiles = (await store.tasks.listFiles(shown)).length > 0;
    const { conflicts, deferred } = hasFiles
      ? await findReadyConflicts(ctx, within, await select(noLimit))
      : { conflicts: [], deferred: new Set<TaskId>() };
    const formerHolders = indexHolders(claims.filter((claim) => !isHolder(claim, caller)));
    const others = listConflictingTasks(conflicts);
    const tasks = (await store.tasks.getHits(shown)).map((hit) => ({
      ...hit,
      ...omitEmpty({
        takenOverFrom: formerHolders.get(hit.id),
        conflictsWith: others.get(hit.id),
        deferred: deferred.has(hit.id) || undefined,
      }),
    }));
    const isShown = new Set(shown);
    const shownConflicts = conflicts.filter(({ tasks }) => tasks.some((id) => isShown.has(id)));
    return answerPage(
      { tasks, ...omitEmpty({ conflicts: shownConflicts }) },
      tasks.length,
      page,
      async (atMost) => (await select(Math.max(atMost, page.offset + page.limit) + 1)).length,
    );
  },
});
